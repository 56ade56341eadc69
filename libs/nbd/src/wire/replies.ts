import { magic } from './numbers.ts';

export const simpleReplyBytes = 16;
export const chunkHeadBytes = 20;

export interface SimpleReply {
  error: number;
  cookieHigh: number;
  cookieLow: number;
}

export function encodeSimpleReply(reply: SimpleReply): Buffer {
  const bytes = Buffer.allocUnsafe(simpleReplyBytes);
  bytes.writeUInt32BE(magic.simpleReply, 0);
  bytes.writeUInt32BE(reply.error, 4);
  bytes.writeUInt32BE(reply.cookieHigh, 8);
  bytes.writeUInt32BE(reply.cookieLow, 12);
  return bytes;
}

/** Undefined when the bytes do not begin like a simple reply. */
export function parseSimpleReply(bytes: Buffer): SimpleReply | undefined {
  if (bytes.readUInt32BE(0) !== magic.simpleReply) return undefined;
  return { error: bytes.readUInt32BE(4), cookieHigh: bytes.readUInt32BE(8), cookieLow: bytes.readUInt32BE(12) };
}

/** The head of one chunk of a structured reply. */
export interface ChunkHead {
  flags: number;
  type: number;
  cookieHigh: number;
  cookieLow: number;
  payloadBytes: number;
}

export function encodeChunkHead(head: ChunkHead): Buffer {
  const bytes = Buffer.allocUnsafe(chunkHeadBytes);
  bytes.writeUInt32BE(magic.structuredReply, 0);
  bytes.writeUInt16BE(head.flags, 4);
  bytes.writeUInt16BE(head.type, 6);
  bytes.writeUInt32BE(head.cookieHigh, 8);
  bytes.writeUInt32BE(head.cookieLow, 12);
  bytes.writeUInt32BE(head.payloadBytes, 16);
  return bytes;
}

/** Undefined when the bytes do not begin like a chunk. */
export function parseChunkHead(bytes: Buffer): ChunkHead | undefined {
  if (bytes.readUInt32BE(0) !== magic.structuredReply) return undefined;
  return {
    flags: bytes.readUInt16BE(4),
    type: bytes.readUInt16BE(6),
    cookieHigh: bytes.readUInt32BE(8),
    cookieLow: bytes.readUInt32BE(12),
    payloadBytes: bytes.readUInt32BE(16),
  };
}
