import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LayerEntry, writeLayer } from './layer-tar.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-layer-'));
});
afterEach(() => rm(dir, { recursive: true }));

describe('writeLayer', () => {
  it('writes files, links and directories that tar extracts with mode and owner', async () => {
    await writeFile(join(dir, 'program'), Buffer.alloc(2_000_000, 1));
    const output = join(dir, 'layer.tar');
    const entries: LayerEntry[] = [
      { path: 'opt', directory: true },
      { path: 'opt/program', source: join(dir, 'program'), mode: 0o755 },
      { path: 'opt/note', content: 'grün' },
      { path: 'opt/link', linkTo: 'program' },
    ];
    await writeLayer({ entries, output });
    const { stdout } = await promisify(execFile)('tar', ['--numeric-owner', '-tvf', output], { env: { TZ: 'UTC' } });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/\s+/g, ' ')),
    ).toEqual([
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 opt',
      '-rwxr-xr-x 0/0 2000000 1970-01-01 00:00 opt/program',
      '-rw-r--r-- 0/0 5 1970-01-01 00:00 opt/note',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 opt/link -> program',
    ]);
  });

  it('gives the same bytes when only the time stamp of a source has changed', async () => {
    const source = join(dir, 'file');
    await writeFile(source, 'same');
    const outputs = ['a.tar', 'b.tar'].map((name) => join(dir, name));
    for (const [index, output] of outputs.entries()) {
      await utimes(source, index, index);
      await writeLayer({ entries: [{ path: 'file', source }], output });
    }
    const [a, b] = await Promise.all(outputs.map((output) => readFile(output)));
    expect(a?.equals(b ?? Buffer.of())).toBe(true);
  });

  it('names a source that does not exist, and leaves nothing', async () => {
    const entries = [{ path: 'x', source: join(dir, 'gone') }];
    await expect(writeLayer({ entries, output: join(dir, 'layer.tar') })).rejects.toMatchObject({
      code: 'IMAGE_LAYER_UNWRITABLE',
      cause: expect.objectContaining({ message: expect.stringContaining('gone') }),
    });
    expect(await readdir(dir)).toEqual([]);
  });
});
