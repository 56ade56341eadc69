/** One request, parsed from its first bytes. */
export interface StoreRequest {
  method: string;
  /** Path without the query: `/bucket/key`. */
  path: string;
  query: string;
  /** Value of the header, such as `bytes=0-99`. */
  range?: string;
}

const firstLine = /^([A-Z]{3,7}) (\/[^ ?\r\n]*)\??([^ \r\n]*) HTTP\/1\.1\r\n/;
const rangeHeader = /\r\nrange: *([^\r\n]*)\r\n/i;
/** Larger than the head of any request to an object store. */
const headBytesMax = 16 * 1024;

/** The request at the start of a piece of data; undefined when it is something else, such as a body. A pure function. */
export function storeRequest(piece: Uint8Array): StoreRequest | undefined {
  const text = Buffer.from(piece.buffer, piece.byteOffset, Math.min(piece.length, headBytesMax)).toString('latin1');
  const [, method, path, query] = firstLine.exec(text) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const range = rangeHeader.exec(text)?.[1];
  return { method, path, query: query ?? '', ...(range !== undefined && { range }) };
}
