import { info } from './numbers.ts';

/** The data of NBD_OPT_GO and NBD_OPT_INFO: an export's name, and what the client wants to be told besides size and flags. */
export interface InfoRequest {
  name: string;
  wants: readonly number[];
}

export function encodeInfoRequest(request: InfoRequest): Buffer {
  const name = Buffer.from(request.name);
  const bytes = Buffer.alloc(4 + name.length + 2 + 2 * request.wants.length);
  bytes.writeUInt32BE(name.length, 0);
  name.copy(bytes, 4);
  bytes.writeUInt16BE(request.wants.length, 4 + name.length);
  for (const [i, want] of request.wants.entries()) bytes.writeUInt16BE(want, 6 + name.length + 2 * i);
  return bytes;
}

/** Undefined when the lengths in it contradict each other. */
export function parseInfoRequest(bytes: Buffer): InfoRequest | undefined {
  if (bytes.length < 6) return undefined;
  const nameBytes = bytes.readUInt32BE(0);
  if (nameBytes > bytes.length - 6) return undefined;
  const count = bytes.readUInt16BE(4 + nameBytes);
  if (bytes.length !== 6 + nameBytes + 2 * count) return undefined;
  const wants = Array.from({ length: count }, (_, i) => bytes.readUInt16BE(6 + nameBytes + 2 * i));
  return { name: bytes.toString('utf8', 4, 4 + nameBytes), wants };
}

export interface ExportFacts {
  sizeBytes: bigint;
  flags: number;
}

/** Size and flags as NBD_OPT_EXPORT_NAME answers them; with the type before them they are NBD_INFO_EXPORT. */
export function encodeExportFacts(facts: ExportFacts): Buffer {
  const bytes = Buffer.alloc(10);
  bytes.writeBigUInt64BE(facts.sizeBytes, 0);
  bytes.writeUInt16BE(facts.flags, 8);
  return bytes;
}

export function encodeExportInfo(facts: ExportFacts): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(info.EXPORT, 0);
  encodeExportFacts(facts).copy(bytes, 2);
  return bytes;
}

export interface BlockSizes {
  minimum: number;
  preferred: number;
  maximum: number;
}

export function encodeBlockSizes(sizes: BlockSizes): Buffer {
  const bytes = Buffer.alloc(14);
  bytes.writeUInt16BE(info.BLOCK_SIZE, 0);
  bytes.writeUInt32BE(sizes.minimum, 2);
  bytes.writeUInt32BE(sizes.preferred, 6);
  bytes.writeUInt32BE(sizes.maximum, 10);
  return bytes;
}

export type ExportInfo = { facts: ExportFacts } | { sizes: BlockSizes } | 'other';

/** Undefined when the length is not that of its type. */
export function parseExportInfo(bytes: Buffer): ExportInfo | undefined {
  if (bytes.length < 2) return undefined;
  const type = bytes.readUInt16BE(0);
  if (type === info.EXPORT) {
    if (bytes.length !== 12) return undefined;
    return { facts: { sizeBytes: bytes.readBigUInt64BE(2), flags: bytes.readUInt16BE(10) } };
  }
  if (type !== info.BLOCK_SIZE) return 'other';
  if (bytes.length !== 14) return undefined;
  return {
    sizes: { minimum: bytes.readUInt32BE(2), preferred: bytes.readUInt32BE(6), maximum: bytes.readUInt32BE(10) },
  };
}
