import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock } from '@lateen/kernel';
import type { FolderEntry } from '@lateen/kopia-format';
import { volumeWriter } from '@lateen/volume-writer';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deleteExtraEntries } from './delete-extra-entries.ts';
import type { DeleteExtraTask, RestoreTask } from './restore-task.ts';
import { restoreWorker } from './restore-worker.ts';
import { filesTarget } from './target-writer.ts';

const { signal } = new AbortController();

/** A volume and a snapshot with these files, compared in parts of four times `entriesMax` names. */
async function deletion(present: readonly string[], snapshot: readonly string[], entriesMax: number) {
  const volumePath = mkdtempSync(join(tmpdir(), 'lateen-extra-'));
  const perl = childRunner({ program: 'perl', clock: systemClock, graceMs: 1_000 });
  const writer = await volumeWriter({ volumePath, sparse: false, perl, log: silentLogger });
  onTestFinished(async () => {
    await writer.close();
    rmSync(volumePath, { recursive: true });
  });
  for (const path of present) {
    mkdirSync(join(volumePath, dirname(path)), { recursive: true });
    writeFileSync(join(volumePath, path), path);
  }
  const tree = treeOf(snapshot);
  const target = filesTarget({ kind: 'files', volumePath, writesSparse: false }, writer);
  const worker = restoreWorker({ target, hashOf: () => '', decode: (_, packed) => packed });
  const tasks: DeleteExtraTask[] = [];
  const [held, read]: [number[], string[]] = [[], []];
  await deleteExtraEntries(
    {
      folders: () => ({
        read: async function* ({ contentId }) {
          read.push(contentId);
          const entries = tree.get(contentId) ?? [];
          for (let at = 0; at < entries.length; at += 3) yield entries.slice(at, at + 3);
        },
        sizesOf: async (ids) => ids.map(() => 1),
      }),
      pool: {
        run: (task) => {
          tasks.push(task as DeleteExtraTask);
          held.push((task as DeleteExtraTask).names.length);
          return worker(structuredClone(task as RestoreTask));
        },
      },
    },
    { entriesMax, nameBytesMax: 10_000, slicesMax: 1, foldersAheadMax: 4, folderBytesAheadMax: 4 },
    { contentId: '', indirection: 0 },
    signal,
  );
  const all = readdirSync(volumePath, { recursive: true, withFileTypes: true });
  const left = all.filter((each) => !each.isDirectory()).map((each) => join(each.parentPath, each.name));
  return { volumePath, left: left.map((path) => path.slice(volumePath.length + 1)).sort(), tasks, held, read };
}

/** The folders of a snapshot with these files, by path, with entries in the order in which kopia writes them. */
function treeOf(files: readonly string[]): Map<string, FolderEntry[]> {
  const tree = new Map<string, Map<string, FolderEntry>>([['', new Map()]]);
  for (const file of files) {
    const parts = file.split('/');
    for (const [at, name] of parts.entries()) {
      const [above, path] = [parts.slice(0, at).join('/'), parts.slice(0, at + 1).join('/')];
      const type = at === parts.length - 1 ? 'file' : 'folder';
      const objectId = { contentId: path, indirection: 0 };
      tree
        .get(above)
        ?.set(name, { name, type, objectId, mode: 0, uid: 0, gid: 0, mtimeNs: 0n, size: 1, tree: undefined });
      if (type === 'folder' && !tree.has(path)) tree.set(path, new Map());
    }
  }
  const rank = ({ type, name }: FolderEntry) => Buffer.from(`${type === 'folder' ? 0 : 1}${name}`);
  const sorted = (entries: Map<string, FolderEntry>) =>
    [...entries.values()].sort((a, b) => Buffer.compare(rank(a), rank(b)));
  return new Map([...tree].map(([path, entries]) => [path, sorted(entries)]));
}

const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
const snapshot = [...names.filter((_, at) => at % 3 > 0), ...names.map((name) => `d${name}/${name}`), 'deep/er/x'];

describe('deleteExtraEntries', () => {
  it.each([1, 2, 5, 100])(
    'keeps what the snapshot has and deletes everything else, in parts of 4 × %i names',
    async (entriesMax) => {
      const present = [
        ...names,
        ...names.map((name) => `d${name}/${name}`),
        'deep/er/x',
        'deep/er/y',
        'deep/z',
        'old/a/b',
      ];
      const { left, held, volumePath } = await deletion(present, snapshot, entriesMax);
      expect(left).toEqual(snapshot.toSorted());
      expect(existsSync(join(volumePath, 'old'))).toBe(false);
      expect(Math.max(...held)).toBeLessThanOrEqual(4 * entriesMax);
    },
  );

  it('deletes a folder in place of a file, and a file in place of a folder, in any part', async () => {
    const present = ['a/x', 'b', 'c/x', 'd'];
    const { left, volumePath } = await deletion(present, ['a', 'b/x', 'c/x', 'd', 'e', 'f', 'g'], 1);
    expect(left).toEqual(['c/x', 'd']);
    expect(readdirSync(volumePath).sort()).toEqual(['c', 'd']);
  });

  it('does not read folders that the volume lacks', async () => {
    const { tasks } = await deletion(['here/x'], ['here/x', 'gone/further/x', 'gone/y'], 100);
    expect(tasks.map(({ path }) => path)).toEqual(['', 'gone', 'here']);
  });

  it('reads each folder of the snapshot once', async () => {
    const { read } = await deletion(snapshot, snapshot, 1);
    expect(new Set(read).size).toBe(read.length);
  });
});
