export interface Beginning {
  bytes: Buffer;
  /** There was more, which was not read. */
  cut: boolean;
}

/** At most a given number of bytes of a body, whatever its length. Leaving the rest unread ends the transfer. */
export async function beginningOf(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Beginning> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), cut: bytes > bytesMax };
}
