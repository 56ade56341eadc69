import { magic } from './numbers.ts';

export const greetingBytes = 18;
export const clientFlagsBytes = 4;
export const optionHeadBytes = 16;
export const optionReplyHeadBytes = 20;

export function encodeGreeting(flags: number): Buffer {
  const bytes = Buffer.alloc(greetingBytes);
  bytes.writeBigUInt64BE(magic.greeting, 0);
  bytes.writeBigUInt64BE(magic.option, 8);
  bytes.writeUInt16BE(flags, 16);
  return bytes;
}

/** The flags of a newstyle server; undefined when the bytes are no such greeting. */
export function parseGreeting(bytes: Buffer): number | undefined {
  if (bytes.readBigUInt64BE(0) !== magic.greeting || bytes.readBigUInt64BE(8) !== magic.option) return undefined;
  return bytes.readUInt16BE(16);
}

export function encodeClientFlags(flags: number): Buffer {
  const bytes = Buffer.alloc(clientFlagsBytes);
  bytes.writeUInt32BE(flags, 0);
  return bytes;
}

export interface OptionHead {
  option: number;
  dataBytes: number;
}

export function encodeOption(code: number, data: Uint8Array = new Uint8Array()): Buffer {
  const bytes = Buffer.alloc(optionHeadBytes + data.length);
  bytes.writeBigUInt64BE(magic.option, 0);
  bytes.writeUInt32BE(code, 8);
  bytes.writeUInt32BE(data.length, 12);
  bytes.set(data, optionHeadBytes);
  return bytes;
}

export function parseOptionHead(bytes: Buffer): OptionHead | undefined {
  if (bytes.readBigUInt64BE(0) !== magic.option) return undefined;
  return { option: bytes.readUInt32BE(8), dataBytes: bytes.readUInt32BE(12) };
}

export interface OptionReplyHead {
  option: number;
  type: number;
  dataBytes: number;
}

export function encodeOptionReply(code: number, type: number, data: Uint8Array = new Uint8Array()): Buffer {
  const bytes = Buffer.alloc(optionReplyHeadBytes + data.length);
  bytes.writeBigUInt64BE(magic.optionReply, 0);
  bytes.writeUInt32BE(code, 8);
  bytes.writeUInt32BE(type, 12);
  bytes.writeUInt32BE(data.length, 16);
  bytes.set(data, optionReplyHeadBytes);
  return bytes;
}

export function parseOptionReplyHead(bytes: Buffer): OptionReplyHead | undefined {
  if (bytes.readBigUInt64BE(0) !== magic.optionReply) return undefined;
  return { option: bytes.readUInt32BE(8), type: bytes.readUInt32BE(12), dataBytes: bytes.readUInt32BE(16) };
}
