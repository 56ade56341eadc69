export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

/** Bytes that identify their own position. */
export function pattern(size: number): Uint8Array {
  const whole = new Uint8Array(size);
  for (let at = 0; at < size; at++) whole[at] = (at ^ (at >> 9)) & 0xff;
  return whole;
}

export function slices(whole: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
    whole.subarray(index * size, (index + 1) * size),
  );
}

export async function* some(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

export async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(pieces));
}
