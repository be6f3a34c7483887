// Numbers as people read them.

// A first use of Intl takes browsers tens of milliseconds, and the page loads at that moment.
export const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

export function bytes(number) {
  if (number < 1000) return `${number} bytes`;
  const [unit, divisor] = number < 1e6 ? ['kB', 1e3] : ['MB', 1e6];
  return `${(number / divisor).toFixed(1)} ${unit}`;
}

export function microseconds(number) {
  // Clocks of pages are coarse: below their step there is nothing to say.
  if (number < 5) return 'under 5 µs';
  return number < 10_000 ? `${count(Math.round(number))} µs` : `${(number / 1000).toFixed(0)} ms`;
}
