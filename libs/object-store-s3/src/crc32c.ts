/** Castagnoli's polynomial, its bits reversed (RFC 3720, section 12.1). */
const polynomial = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

export function crc32c(body: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of body) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}
