import { contentKey } from '../content-id.ts';

/** One entry for an index file that a test makes. */
export interface WrittenEntry {
  contentId: string;
  packId: string;
  time: number;
  isDeleted: boolean;
  offset: number;
  length: number;
  originalLength: number;
  compressionHeaderId: number;
}

const sorted = (entries: readonly WrittenEntry[]) =>
  [...entries].sort((a, b) => Buffer.compare(contentKey(a.contentId), contentKey(b.contentId)));
const offsetOf = ({ offset, isDeleted }: WrittenEntry) => offset + (isDeleted ? 2 ** 31 : 0);

/** Version 1 has no compression, and takes the original length from the packed one. */
export function writeIndex1(entries: readonly WrittenEntry[]): Uint8Array {
  const keySize = entries[0] === undefined ? 255 : contentKey(entries[0].contentId).length;
  const head = Buffer.alloc(8);
  head[0] = 1;
  head[1] = keySize;
  head.writeUInt16BE(20, 2);
  head.writeUInt32BE(entries.length, 4);
  let names = '';
  const namesAt = 8 + entries.length * (keySize + 20);
  const bodies = sorted(entries).map((entry) => {
    const body = Buffer.alloc(20);
    body.writeUIntBE(entry.time, 0, 6);
    body[6] = 1;
    body[7] = entry.packId.length;
    body.writeUInt32BE(namesAt + names.length, 8);
    names += entry.packId;
    body.writeUInt32BE(offsetOf(entry), 12);
    body.writeUInt32BE(entry.length, 16);
    return Buffer.concat([contentKey(entry.contentId), body]);
  });
  return Buffer.concat([head, ...bodies, Buffer.from(names)]);
}

/** Entries of 16 to 19 bytes: the last three only where a test asks for them. */
export function writeIndex2(
  entries: readonly WrittenEntry[],
  entrySize: 16 | 17 | 18 | 19,
  baseTime: number,
): Uint8Array {
  const keySize = entries[0] === undefined ? 255 : contentKey(entries[0].contentId).length;
  const packs = [...new Set(entries.map(({ packId }) => packId))];
  const packAt = new Map(packs.map((packId, at) => [packId, at]));
  const formats = [...new Set(entries.map(({ compressionHeaderId }) => compressionHeaderId))];
  const head = Buffer.alloc(17);
  head.set([2, keySize]);
  head.writeUInt16BE(entrySize, 2);
  head.writeUInt32BE(entries.length, 4);
  head.writeUInt32BE(packs.length, 8);
  head[12] = formats.length;
  head.writeUInt32BE(baseTime, 13);
  const bodies = sorted(entries).map((entry) => {
    const body = Buffer.alloc(19);
    const pack = packAt.get(entry.packId) ?? 0;
    body.writeUInt32BE(entry.time - baseTime, 0);
    body.writeUInt32BE(offsetOf(entry), 4);
    body.writeUIntBE(entry.originalLength % 2 ** 24, 8, 3);
    body.writeUIntBE(entry.length % 2 ** 24, 11, 3);
    body.writeUInt16BE(pack % 2 ** 16, 14);
    body[16] = formats.indexOf(entry.compressionHeaderId);
    body[17] = pack >>> 16;
    body[18] = (Math.floor(entry.originalLength / 2 ** 24) << 4) | Math.floor(entry.length / 2 ** 24);
    return Buffer.concat([contentKey(entry.contentId), body.subarray(0, entrySize)]);
  });
  const tablesAt = 17 + entries.length * (keySize + entrySize) * (entries.length > 0 ? 1 : 0);
  let nameAt = tablesAt + packs.length * 5 + formats.length * 6;
  const packTable = packs.map((packId) => {
    const row = Buffer.alloc(5);
    row[0] = packId.length;
    row.writeUInt32BE(nameAt, 1);
    nameAt += packId.length;
    return row;
  });
  const formatTable = formats.map((compressionHeaderId) => {
    const row = Buffer.alloc(6);
    row.writeUInt32BE(compressionHeaderId, 0);
    row[4] = 1;
    return row;
  });
  return Buffer.concat([head, ...bodies, ...packTable, ...formatTable, Buffer.from(packs.join(''))]);
}
