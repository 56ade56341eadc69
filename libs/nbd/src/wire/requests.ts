import { magic } from './numbers.ts';

export const requestHeadBytes = 28;

/** A request as it is on the wire. A cookie is 64 bits that mean nothing to the server; ours fit into a number, others' are two. */
export interface RequestHead {
  flags: number;
  command: number;
  cookieHigh: number;
  cookieLow: number;
  at: bigint;
  lengthBytes: number;
}

export function encodeRequest(head: RequestHead): Buffer {
  const bytes = Buffer.allocUnsafe(requestHeadBytes);
  bytes.writeUInt32BE(magic.request, 0);
  bytes.writeUInt16BE(head.flags, 4);
  bytes.writeUInt16BE(head.command, 6);
  bytes.writeUInt32BE(head.cookieHigh, 8);
  bytes.writeUInt32BE(head.cookieLow, 12);
  bytes.writeBigUInt64BE(head.at, 16);
  bytes.writeUInt32BE(head.lengthBytes, 24);
  return bytes;
}

/** Undefined when the bytes do not begin like a request. */
export function parseRequest(bytes: Buffer): RequestHead | undefined {
  if (bytes.readUInt32BE(0) !== magic.request) return undefined;
  return {
    flags: bytes.readUInt16BE(4),
    command: bytes.readUInt16BE(6),
    cookieHigh: bytes.readUInt32BE(8),
    cookieLow: bytes.readUInt32BE(12),
    at: bytes.readBigUInt64BE(16),
    lengthBytes: bytes.readUInt32BE(24),
  };
}
