import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { archiveWriter } from '../archive-writer.ts';
import { entryHeaders, sumOf } from '../tar/entry-header.ts';
import { paxRecords } from '../tar/pax-records.ts';
import type { ArchiveLimits } from './archive-limits.ts';
import { readArchive } from './read-archive.ts';

const run = promisify(execFile);
const end = Buffer.alloc(1024);

/** One hand-made entry. */
function entry(
  path: string,
  body: string | Uint8Array,
  type = '0',
  change: (block: Buffer) => void = () => {},
): Buffer {
  const bytes = Buffer.from(body);
  const block = Buffer.from(entryHeaders(0)('name', bytes.length));
  block.fill(0, 0, 100).write(path);
  block.write(type, 156);
  change(block);
  block.fill(' ', 148, 156);
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function read(packed: Uint8Array, limits: Partial<ArchiveLimits> = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, body } of readArchive(one(packed), { limits })) found.push(`${path}=${Buffer.from(body)}`);
  return found;
}
const readTar = (...blocks: Buffer[]) => read(gzipSync(Buffer.concat(blocks)));

describe('readArchive', () => {
  it.each<[string, Buffer[], string[]]>([
    ['nothing', [end], []],
    [
      'directories and links',
      [entry('d/', '', '5'), entry('l', '', '2'), entry('l', '', '1'), entry('a', 'x'), end],
      ['a=x'],
    ],
    ['directories in the old format without types', [entry('d/', ''), entry('a', 'x', '\0'), end], ['a=x']],
    ['contiguous files', [entry('a', 'x', '7'), end], ['a=x']],
    ['other types with a body', [entry('v', 'volume', 'V'), entry('a', 'x'), end], ['a=x']],
    ['a leading dot, and repeated slashes', [entry('./a//b', 'x'), entry('/c', 'y'), end], ['a/b=x', 'c=y']],
    ['".." that stays inside', [entry('a/../b', 'x'), end], ['b=x']],
    [
      "GNU's long names",
      [entry('././@LongLink', `${'n'.repeat(200)}\0`, 'L'), entry('n', 'x'), end],
      [`${'n'.repeat(200)}=x`],
    ],
    ["GNU's long links", [entry('././@LongLink', 'target\0', 'K'), entry('a', 'x'), end], ['a=x']],
    ['extended headers', [entry('p', paxRecords({ mtime: '1.5', path: 'ü/a' }), 'x'), entry('n', 'x'), end], ['ü/a=x']],
    [
      'global headers',
      [entry('p', paxRecords({ comment: 'hash' }), 'g'), entry('a', 'x'), entry('b', 'y'), end],
      ['a=x', 'b=y'],
    ],
    [
      'a size in base 256',
      [entry('a', 'xyz', '0', (block) => block.fill(0, 124, 136).fill(0x80, 124, 125).fill(3, 135, 136)), end],
      ['a=xyz'],
    ],
    ['trailing zeros and other data', [entry('a', 'x'), end, end, Buffer.from('more')], ['a=x']],
  ])('accepts %s', async (_, blocks, entries) => {
    expect(await readTar(...blocks)).toEqual(entries);
  });

  it('reads a size from an extended header', async () => {
    const sized = entry('a', 'xyz', '0', (block) => block.write('00000000000', 124));
    expect(await readTar(entry('p', paxRecords({ size: '3' }), 'x'), sized, end)).toEqual(['a=xyz']);
  });

  it('reads gzip members that split an entry, and uncompressed data', async () => {
    const tar = Buffer.concat([entry('a', 'x'.repeat(2_000)), entry('b', 'y'), end]);
    const expected = [`a=${'x'.repeat(2_000)}`, 'b=y'];
    const members = Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]);
    expect(await read(members)).toEqual(expected);
    expect(await read(tar)).toEqual(expected);
  });

  it.each(['../a', 'a/../../b', '/..', '..'])("rejects %s, with Velero's message", async (path) => {
    await expect(readTar(entry(path, 'x'), end)).rejects.toMatchObject({
      code: 'ARCHIVE_PATH_ESCAPES',
      message: `invalid archive path "${path}": escapes target directory`,
    });
    const pax = entry('p', paxRecords({ path }), 'x');
    await expect(readTar(pax, entry('n', 'x'), end)).rejects.toMatchObject({ code: 'ARCHIVE_PATH_ESCAPES' });
  });

  it.each<[string, Buffer[]]>([
    ['has no end blocks', [entry('a', 'x')]],
    ['is empty', []],
    ['ends in a header', [entry('a', 'x').subarray(0, 100)]],
    ['ends in a body', [entry('a', 'x'.repeat(600)).subarray(0, 700)]],
    ['ends in a skipped entry', [entry('a', 'x'.repeat(600), 'V').subarray(0, 700)]],
    ['has a corrupted header', [entry('a', 'x').fill('b', 0, 1), end]],
    ['has an invalid size', [entry('a', 'x', '0', (block) => block.write('9', 124)), end]],
    ['has a negative size', [entry('a', 'x', '0', (block) => block.fill(0xff, 124, 136)), end]],
    ['has an extended header without a length', [entry('p', 'path=a\n', 'x'), entry('a', 'x'), end]],
    ['has an extended header that is too long', [entry('p', '99 path=a\n', 'x'), entry('a', 'x'), end]],
    ['has an invalid extended size', [entry('p', paxRecords({ size: '-1' }), 'x'), entry('a', 'x'), end]],
    ['has a sparse file', [entry('a', 'x', 'S'), end]],
  ])('rejects an archive that %s', async (_, blocks) => {
    await expect(readTar(...blocks)).rejects.toMatchObject({ code: 'ARCHIVE_BROKEN' });
  });

  it('rejects an archive that ends between two gzip members', async () => {
    const writer = archiveWriter({ mtimeMs: 0 });
    const pieces = Array.fromAsync(writer.pieces);
    for (let index = 0; index < 4; index++) await writer.add(`a/${index}`, new Uint8Array(1_100_000));
    await writer.end();
    const members = await pieces;
    expect(members.length).toBeGreaterThan(2);
    const cut = Buffer.concat(members.slice(0, -1));
    expect(gunzipSync(cut).length).toBeGreaterThan(4_000_000);
    await expect(read(cut)).rejects.toMatchObject({ code: 'ARCHIVE_BROKEN' });
  });

  it('buffers no more than its limit', async () => {
    const large = entry('a', 'x'.repeat(900));
    const tar = gzipSync(Buffer.concat([large, large, end]));
    await expect(read(tar, { entryBytesMax: 899 })).rejects.toMatchObject({
      code: 'ARCHIVE_TOO_LARGE',
      message: '"a" in the archive has 900 B; the most that is read of one is 899 B',
    });
    await expect(read(tar, { totalBytesMax: 2_000 })).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' });
    await expect(read(tar, { entryBytesMax: 900, totalBytesMax: 4_096 })).resolves.toHaveLength(2);
    const named = gzipSync(
      Buffer.concat([entry('p', paxRecords({ path: 'n'.repeat(5_000) }), 'x'), entry('n', ''), end]),
    );
    await expect(read(named)).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' });
    // The entry claims names of 8 GiB.
    const endless = entry('p', '', 'L', (block) => block.write('77777777777', 124));
    await expect(readTar(endless)).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' });
  });

  it('closes its source when the loop ends, and ends with the reason of an abort', async () => {
    const packed = gzipSync(Buffer.concat([entry('a', 'x'), entry('b', 'y'.repeat(1_000_000)), end]), { level: 0 });
    let given = 0;
    let ended = false;
    const source = async function* () {
      try {
        for (let at = 0; at < packed.length; at += 1_000) {
          given++;
          yield packed.subarray(at, at + 1_000);
        }
      } finally {
        ended = true;
      }
    };
    for await (const { path } of readArchive(source())) {
      expect(path).toBe('a');
      break;
    }
    await expect.poll(() => ended).toBe(true);
    expect(given).toBeLessThan(500);
    const stop = new AbortController();
    const reading = (async () => {
      for await (const _ of readArchive(one(packed), { signal: stop.signal })) stop.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
  });

  it.each(['gnu', 'pax', 'ustar', 'v7'])('reads what GNU tar writes in its format %s', async (format) => {
    const directory = await mkdtemp(join(tmpdir(), 'lateen-archive-'));
    try {
      const long = `${'d'.repeat(60)}/${'n'.repeat(format === 'v7' ? 20 : 90)}.json`;
      const names = ['resources/pods/namespaces/shop/web.json', `resources/${long}`];
      for (const name of names) {
        await mkdir(join(directory, name, '..'), { recursive: true });
        await writeFile(join(directory, name), `of ${name}`);
      }
      await symlink('web.json', join(directory, 'resources/pods/namespaces/shop/link.json'));
      const pack = ['--format', format, '-cz', '-C', directory, '.'];
      const { stdout } = await run('tar', pack, { encoding: 'buffer' });
      expect((await read(stdout)).sort()).toEqual(names.map((name) => `${name}=of ${name}`).sort());
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
