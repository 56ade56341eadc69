/** The data of NBD_OPT_SET_META_CONTEXT. */
export function encodeContextQuery(exportName: string, contexts: readonly string[]): Buffer {
  const texts = [exportName, ...contexts].map((text) => Buffer.from(text));
  const lengths = texts.map((text) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(text.length, 0);
    return bytes;
  });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(contexts.length, 0);
  const parts = texts.flatMap((text, i) => [lengths[i] ?? Buffer.alloc(0), text]);
  return Buffer.concat([...parts.slice(0, 2), count, ...parts.slice(2)]);
}

/** The data of NBD_REP_META_CONTEXT: under which id this connection speaks of a context. */
export function parseContext(bytes: Buffer): { id: number; name: string } | undefined {
  if (bytes.length < 4) return undefined;
  return { id: bytes.readUInt32BE(0), name: bytes.toString('utf8', 4) };
}
