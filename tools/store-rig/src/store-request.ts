/** One request as its first bytes say. */
export interface StoreRequest {
  method: string;
  /** Without the query: `/bucket/key`. */
  path: string;
  query: string;
  /** The header, such as `bytes=0-99`. */
  range?: string;
}

const firstLine = /^([A-Z]{3,7}) (\/[^ ?\r\n]*)\??([^ \r\n]*) HTTP\/1\.1\r\n/;
const rangeHeader = /\r\nrange: *([^\r\n]*)\r\n/i;
/** More than the head of any request of an object store. */
const headBytesMax = 16 * 1024;

/** The request that a piece of a connection begins with; undefined when it is something else, such as a body. Pure. */
export function storeRequest(piece: Uint8Array): StoreRequest | undefined {
  const text = Buffer.from(piece.buffer, piece.byteOffset, Math.min(piece.length, headBytesMax)).toString('latin1');
  const [, method, path, query] = firstLine.exec(text) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const range = rangeHeader.exec(text)?.[1];
  return { method, path, query: query ?? '', ...(range !== undefined && { range }) };
}
