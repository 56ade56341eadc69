/** Bytes as in the protocol document: hexadecimal, `'text'` for ASCII, spaces for readability. */
export function fixture(text: string): Buffer {
  const parts = text.match(/'[^']*'|[0-9a-f]{2}/g) ?? [];
  return Buffer.concat(
    parts.map((part) => (part.startsWith("'") ? Buffer.from(part.slice(1, -1), 'latin1') : Buffer.from(part, 'hex'))),
  );
}
