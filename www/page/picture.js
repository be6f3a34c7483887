// Labels as points with names: near labels are near each other.

const SVG = 'http://www.w3.org/2000/svg';
/** Free space around the points, the height of a line and the width of a letter, in pixels. */
const BORDER = 18;
const LINE = 18;
const LETTER = 7.6;

function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Where points and names stand: one scale for both directions, and no name upon another. */
function places(near, width, height) {
  const [xs, ys] = ['x', 'y'].map((axis) => near.map((one) => one[axis]));
  const span = (values) => Math.max(...values) - Math.min(...values);
  const letters = Math.max(...near.map(({ label }) => label.length));
  const right = Math.min(LETTER * letters + 12, width / 2);
  const scale = Math.min((width - 2 * BORDER - right) / (span(xs) || 1), (height - 2 * BORDER) / (span(ys) || 1));
  const placed = near.map(({ label, x, y }) => {
    const at = [BORDER + scale * (x - Math.min(...xs)), BORDER + scale * (y - Math.min(...ys))];
    return { label, at, text: [at[0] + 9, at[1] + 5], width: LETTER * label.length };
  });
  const falling = [...placed].sort((a, b) => a.at[1] - b.at[1]);
  falling.forEach((own, place) => {
    for (const { text, width: wide } of falling.slice(0, place)) {
      const beside = own.text[0] > text[0] + wide || text[0] > own.text[0] + own.width;
      if (!beside && Math.abs(own.text[1] - text[1]) < LINE) own.text[1] = text[1] + LINE;
    }
  });
  return placed;
}

/** A picture, so many pixels wide, of what `Model.neighborhood` gave: the label first, then those near it. */
export function picture(near, width) {
  const height = Math.max(240, Math.round(0.55 * width));
  const placed = places(near, width, height);
  const lowest = Math.max(height, ...placed.map(({ text }) => text[1] + 8));
  const [own, ...others] = placed;
  const lines = others.map(({ at }) => drawn('path', { d: `M${own.at}L${at}` }));
  const points = placed.map(({ label, at: [cx, cy], text: [x, y] }) => drawn(
    'g',
    label === own.label ? { class: 'own' } : { 'data-kind': label },
    drawn('circle', { cx, cy, r: 5 }),
    drawn('text', { x, y }, label),
  ));
  const names = others.map(({ label }) => label).join(', ');
  const what = { role: 'img', 'aria-label': `${own.label}, and near it ${names}` };
  return drawn('svg', { viewBox: `0 0 ${width} ${lowest}`, ...what }, ...lines, ...points);
}
