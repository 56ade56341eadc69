import { lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@lateen/kernel';
import type { ResticSession } from '@lateen/repository';
import { FakeClock } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlockOptions } from '../block/block-options.ts';
import { clearWay } from './clear-way.ts';
import { parseNode } from './snapshot-node.ts';

const noBlock = {} as BlockOptions;
let directory: string;
let volumePath: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-way-'));
  volumePath = join(directory, 'volume');
  await mkdir(volumePath);
});
afterEach(() => rm(directory, { recursive: true }));

/** Clears the way for a snapshot of these entries; returns the arguments that restic was called with. */
async function clear(nodes: [path: string, type: string][]): Promise<string[][]> {
  const asked: string[][] = [];
  const lines = [
    { struct_type: 'snapshot', id: 'x' },
    ...nodes.map(([path, type]) => ({ struct_type: 'node', path, type })),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const session: Partial<ResticSession> = {
    run: async (args, run) => {
      asked.push([...args]);
      for (const piece of text.match(/.{1,9}|\n/g) ?? []) await run?.onStdout?.(Buffer.from(piece));
      return { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
    },
  };
  const nothing = async () => {};
  await clearWay(
    {
      session: session as ResticSession,
      clock: new FakeClock(),
      log: silentLogger,
      discardMs: 1,
      flush: nothing,
      usedBytes: async () => 0,
      programs: { run: () => Promise.reject(new Error('not part of this test')) },
      block: noBlock,
    },
    {
      volumePath,
      volumeMode: 'Filesystem',
      snapshotID: 'x',
      config: {},
      onProgress: () => {},
      signal: new AbortController().signal,
    },
    'x',
  );
  return asked;
}

describe('clearWay', () => {
  it('makes no request for an empty volume, the normal case', async () => {
    expect(await clear([['/a', 'file']])).toEqual([]);
    await mkdir(join(volumePath, 'lost+found'));
    expect(await clear([['/a', 'file']])).toEqual([]);
  });

  it('removes symlinks that the snapshot replaces, and nothing else', async () => {
    const outside = join(directory, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'f'), 'safe');
    await mkdir(join(volumePath, 'd'));
    for (const name of ['link', 'd/file', 'dir', 'mine']) await symlink(outside, join(volumePath, name));
    await writeFile(join(volumePath, 'd', 'same'), 'x');
    await clear([
      ['/link', 'symlink'],
      ['/d', 'dir'],
      ['/d/file', 'file'],
      ['/d/same', 'file'],
      ['/dir', 'dir'],
      ['/dir/f', 'fifo'],
      ['/d', 'file'],
    ]);
    expect((await readdir(volumePath)).toSorted()).toEqual(['d', 'mine']);
    expect(await readdir(join(volumePath, 'd'))).toEqual(['same']);
    expect(await readlink(join(volumePath, 'mine'))).toBe(outside);
    expect(await readdir(outside)).toEqual(['f']);
  });

  it('follows no link out of the volume', async () => {
    await symlink('x', join(directory, 'outside'));
    await writeFile(join(volumePath, 'f'), '');
    await clear([['/../outside', 'symlink']]);
    expect((await lstat(join(directory, 'outside'))).isSymbolicLink()).toBe(true);
  });
});

describe('parseNode', () => {
  it.each(['', '{', '[]', '7', '{"struct_type":"node"}', '{"path":"a","type":"file"}'])('rejects %j', (line) => {
    expect(() => parseNode(line)).toThrow(expect.objectContaining({ code: 'UPLOADER_BAD_ANSWER' }));
  });
});
