import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backupConfigPieces, blockBytesOf, parseBackupConfig, type StoredBackup } from './backup-config.ts';
import { type BlockList, BlockListBuilder, noBlocks, overlaid } from './block-list.ts';
import { compressionMethods } from './compression-method.ts';
import { parseVolumeConfig, type StoredVolume, volumeConfigText } from './volume-config.ts';

const golden = (name: string) => readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8');

/** The text in chunks with arbitrary boundaries. */
async function* pieces(text: string | Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
const parsedBackup = (text: string | Uint8Array, pieceBytes = 64) =>
  parseBackupConfig(pieces(text, pieceBytes), 'k/backup_b.cfg');
const backupText = (backup: StoredBackup) => Buffer.concat([...backupConfigPieces(backup)]).toString();

function blockList(entries: readonly (readonly [number, string])[]): BlockList {
  const built = new BlockListBuilder();
  for (const [offset, checksum] of entries) built.add(offset, checksum);
  return built.build();
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const labels = fc.option(fc.dictionary(text, text, { maxKeys: 3 }), { nil: null });
const other = fc.dictionary(
  text.map((name) => `x-${name}`),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 3 },
);
const int64 = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const checksum = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));

const volume: fc.Arbitrary<StoredVolume> = fc.record({
  name: text,
  sizeBytes: int64,
  labels,
  createdTime: text,
  lastBackupName: text,
  lastBackupAt: text,
  blockCount: int64,
  backingImageName: text,
  backingImageChecksum: text,
  compressionMethod: fc.constantFrom(...compressionMethods),
  storageClassName: text,
  dataEngine: text,
  other,
});

const backup: fc.Arbitrary<StoredBackup> = fc.record({
  name: text,
  volumeName: text,
  snapshotName: text,
  snapshotCreatedAt: text,
  createdTime: text,
  sizeBytes: int64,
  labels,
  parameters: labels,
  isIncremental: fc.boolean(),
  compressionMethod: fc.constantFrom(...compressionMethods),
  newlyUploadedBytes: int64,
  reUploadedBytes: int64,
  other,
  blocks: fc.uniqueArray(fc.tuple(fc.maxSafeNat(), checksum), { selector: ([offset]) => offset }).map(blockList),
});

describe('volume.cfg', () => {
  it('is written byte for byte as Longhorn writes it', () => {
    const read = parseVolumeConfig(golden('volume.cfg'), 'k');
    expect(read).toMatchObject({ name: 'vol', sizeBytes: 33_554_432n, compressionMethod: 'lz4', other: {} });
    expect(volumeConfigText(read)).toBe(golden('volume.cfg'));
  });

  it('is read as written, with the fields of other versions', () => {
    fc.assert(
      fc.property(volume, (given) => {
        expect(parseVolumeConfig(volumeConfigText(given), 'k')).toEqual(given);
      }),
    );
    const newer = golden('volume.cfg').replace(/}$/, ',"LinkedCloneSourceVolume":"\\"v\\"","New":{"a":[1]}}');
    expect(parseVolumeConfig(newer, 'k').other).toEqual({ LinkedCloneSourceVolume: '"v"', New: { a: [1] } });
  });

  it('defaults to gzip and engine v1', () => {
    const read = parseVolumeConfig('{"Name":"vol","Size":"0"}', 'k');
    expect(read).toMatchObject({ compressionMethod: 'gzip', dataEngine: 'v1', labels: null, lastBackupName: '' });
  });

  it('accepts plain text where Longhorn expects JSON in a string, and writes it correctly', () => {
    const read = parseVolumeConfig('{"Name":"vol","CompressionMethod":"lz4"}', 'k');
    expect(read.compressionMethod).toBe('lz4');
    expect(volumeConfigText(read)).toContain('"CompressionMethod":"\\"lz4\\""');
  });

  it.each([
    ['{"Name":"vol"', 'it is not complete JSON'],
    ['', 'it is not complete JSON'],
    ['[]', 'it is not a JSON object'],
    ['{"Name":7}', 'its field Name is not a string'],
    ['{"Size":"-1"}', 'its field Size is not a number'],
    ['{"Labels":{"a":1}}', 'its field Labels is not a map of strings'],
    ['{"CompressionMethod":"\\"zstd\\""}', 'its blocks are compressed by a method that this version does not know'],
  ])('%s is an error that names the file and the next step', (given, why) => {
    expect(() => parseVolumeConfig(given, 'a/volume.cfg')).toThrow(
      expect.objectContaining({
        code: 'BLOCK_STORE_FILE',
        message: `a/volume.cfg in the backup store cannot be used: ${why}`,
        nextStep: expect.stringMatching(/^Put back an earlier version/),
      }),
    );
  });
});

describe('a backup', () => {
  it('is written byte for byte as Longhorn writes it', async () => {
    const read = await parsedBackup(golden('backup.cfg'));
    expect([...read.blocks]).toEqual([
      { offset: 0, checksum: 'd9cf'.repeat(16) },
      { offset: 2_097_152, checksum: 'bb9d'.repeat(16) },
    ]);
    expect(backupText(read)).toBe(golden('backup.cfg'));
  });

  it('is read as written, for any chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(backup, fc.integer({ min: 1, max: 300 }), async (given, pieceBytes) => {
        const read = await parsedBackup(backupText(given), pieceBytes);
        expect({ ...read, blocks: [...read.blocks] }).toEqual({ ...given, blocks: [...given.blocks] });
      }),
    );
  });

  it('lists its blocks in ascending order, whatever order they were added in, and none twice', async () => {
    const [a, b] = ['aa'.repeat(32), 'bb'.repeat(32)];
    expect([...blockList([[4096, a], [0, b]])].map(({ offset }) => offset)).toEqual([0, 4096]); // biome-ignore format: pairs
    const twice = `{"Blocks":[{"Offset":1,"BlockChecksum":"${a}"},{"Offset":1,"BlockChecksum":"${b}"}]}`;
    await expect(parsedBackup(twice)).rejects.toMatchObject({ code: 'BLOCK_STORE_FILE' });
  });

  it.each([
    ['"Blocks":null', 0],
    ['"Blocks":[]', 0],
    ['"Labels":{"Blocks":"[{"}', 0],
    [`"Blocks": [ { "BlockChecksum":"${'ab'.repeat(32)}", "New":[{}], "Offset":0 } ]`, 1],
  ])('%s has %i blocks', async (given, count) => {
    expect((await parsedBackup(`{"Name":"b",${given}}`, 3)).blocks.length).toBe(count);
  });

  it.each([
    ['{"Name":"b","Blocks":[', 'its end is missing'],
    ['{"Name":"b","Blocks":[{"Offset":0', 'its end is missing'],
    ['{"Blocks":[7]}', 'an entry of its list of blocks is not a block'],
    ['{"Blocks":[{"Offset":0}]}', 'an entry of its list of blocks is not a block'],
    [
      `{"Blocks":[{"Offset":-1,"BlockChecksum":"${'ab'.repeat(32)}"}]}`,
      'an entry of its list of blocks is not a block',
    ],
    ['{"Blocks":[{"Offset":0,"BlockChecksum":"ABC"}]}', 'an entry of its list of blocks is not a block'],
    ['{"Bl\\u006fcks":[{"Offset":0}]}', 'its list of blocks cannot be read'],
    ['{"Blocks":[{}}', 'an entry of its list of blocks is not a block'],
  ])('%s is an error that names the file and the next step', async (given, why) => {
    await expect(parsedBackup(given, 5)).rejects.toMatchObject({
      code: 'BLOCK_STORE_FILE',
      message: `k/backup_b.cfg in the backup store cannot be used: ${why}`,
      nextStep: expect.stringContaining('delete the backup'),
    });
  });

  it.each([
    [null, 2_097_152],
    [{ 'backup-block-size': '' }, 2_097_152],
    [{ 'backup-block-size': '0' }, 2_097_152],
    [{ 'backup-block-size': '16777216' }, 16_777_216],
    [{ 'backup-block-size': '16Mi' }, 16_777_216],
    [{ 'backup-block-size': 'many' }, undefined],
    [{ 'backup-block-size': '-2Mi' }, undefined],
  ])('with the parameters %j has blocks of %s bytes', (parameters, bytes) => {
    expect(blockBytesOf({ parameters })).toBe(bytes);
  });
});

describe('overlaid', () => {
  it('gives the changed data where it exists, and otherwise the base', () => {
    const list = fc.dictionary(fc.nat(40).map(String), checksum);
    const entries = (map: Record<string, string>) =>
      Object.entries(map).map(([offset, sum]) => [Number(offset), sum] as const);
    fc.assert(
      fc.property(list, list, (base, changed) => {
        const both = overlaid(blockList(entries(base)), blockList(entries(changed)));
        expect([...both]).toEqual([...blockList(entries({ ...base, ...changed }))]);
      }),
    );
    expect(overlaid(noBlocks, noBlocks).length).toBe(0);
  });
});
