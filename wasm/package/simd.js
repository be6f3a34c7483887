// Whether this WebAssembly has 128-bit vectors: whether it accepts a function that splats a number
// and counts bits, the last instructions to enter the standard.

export const hasSimd = () =>
  WebAssembly.validate(
    // prettier-ignore
    new Uint8Array([
      0, 97, 115, 109, 1, 0, 0, 0, // \0asm, version 1
      1, 5, 1, 96, 0, 1, 123, // a type: () -> v128
      3, 2, 1, 0, // a function of that type
      10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11, // i32.const 0, i8x16.splat, i8x16.popcnt
    ]),
  );
