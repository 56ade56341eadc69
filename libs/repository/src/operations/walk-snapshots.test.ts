import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EngineExit } from '../engine/engine-process.ts';
import type { KopiaSession } from '../engine/kopia-session.ts';
import { kopiaRepository } from './repository-session.ts';
import { repositoryUsage } from './repository-usage.ts';

/** A kopia repository in memory: what `content list`, `content show`, `show` and `snapshot list` would print. */
function repositoryOf() {
  const contents = new Map<string, { bytes: number; json?: object; deleted?: boolean }>();
  const runs: string[] = [];
  const snapshots: object[] = [];
  const put = (
    name: string,
    bytes: number,
    more: { letter?: string; json?: object; deleted?: boolean } = {},
  ): string => {
    const contentID = (more.letter ?? '') + createHash('sha256').update(name).digest('hex').slice(0, 32);
    contents.set(contentID, { bytes, ...more });
    return contentID;
  };
  const folder = (name: string, entries: object[], bytes = 1) =>
    put(name, bytes, { letter: 'k', json: { stream: 'kopia:directory', entries, summary: { size: 0 } } });
  const list = (name: string, pieces: string[], bytes = 1) =>
    put(name, bytes, { letter: 'x', json: { stream: 'kopia:indirect', entries: pieces.map((o) => ({ l: 1, o })) } });
  const snapshot = (path: string, obj: string) => snapshots.push({ id: 'i', source: { path }, rootEntry: { obj } });
  const stdoutOf = (args: readonly string[]): string => {
    const [first, second] = args;
    if (first === 'snapshot') return JSON.stringify(snapshots);
    if (first === 'content' && second === 'list')
      return JSON.stringify(
        [...contents].map(([contentID, { bytes, deleted }]) => ({
          contentID,
          length: bytes,
          deleted: deleted === true,
        })),
      );
    const shown = first === 'content' ? args.slice(2) : [String(second).replace(/^[IZ]+/, '')];
    return shown.map((each) => `${JSON.stringify(contents.get(each)?.json)}\n`).join('');
  };
  const session = {
    run: async (
      args: readonly string[],
      { onStdout }: { onStdout?: (chunk: Buffer) => void } = {},
    ): Promise<EngineExit> => {
      runs.push(args.join(' '));
      onStdout?.(Buffer.from(stdoutOf(args)));
      return { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
    },
    failure: () => new Error('not part of this test'),
    redact: (text: string) => text,
  } as unknown as KopiaSession;
  return { put, folder, list, snapshot, runs, session };
}

const { signal } = new AbortController();

describe('usage of a kopia repository', () => {
  it('counts unique bytes and shared bytes of each volume, and reclaimable bytes', async () => {
    const { put, folder, list, snapshot, session, runs } = repositoryOf();
    const [one, two, common, gone] = [put('one', 100), put('two', 200), put('common', 400), put('gone', 800)];
    put('dropped', 1600, { deleted: true });
    put('manifest', 3200, { letter: 'm' });
    const inner = folder(
      'inner',
      [
        { type: 'f', obj: one },
        { type: 'f', obj: common },
        { type: 's', obj: one },
      ],
      1,
    );
    const first = folder('first', [{ type: 'd', obj: inner }], 2);
    const second = folder(
      'second',
      [
        { type: 'd', obj: inner },
        { type: 'f', obj: two },
      ],
      4,
    );
    // A large file is a list of contents; a very large one is a list of lists.
    const pieces = list('pieces', [common, put('piece', 10)], 8);
    const other = folder('other', [{ type: 'f', obj: `I${pieces}` }], 16);
    snapshot('snapshot-data-upload-download/kopia/shop/data', first);
    snapshot('snapshot-data-upload-download/kopia/shop/data', second);
    snapshot('snapshot-pod-volume/kopia/shop/web/logs', other);
    expect(gone).toBeDefined();
    expect(await repositoryUsage(kopiaRepository(session), { signal })).toEqual({
      engine: 'kopia',
      volumes: [
        { namespace: 'shop', persistentVolumeClaim: 'data', snapshots: 2, uniqueBytes: 307, sharedBytes: 400 },
        { namespace: 'shop', persistentVolumeClaim: 'logs', snapshots: 1, uniqueBytes: 34, sharedBytes: 400 },
      ],
      referencedBytes: 741,
      sharedBytes: 400,
      reclaimableBytes: 2400,
    });
    // The folder that both snapshots of the volume contain is read once.
    expect(runs.filter((run) => run.includes(inner))).toHaveLength(1);
  });

  it('starts kopia once per level of folders and group of volumes, independent of the number of snapshots', async () => {
    const { put, folder, snapshot, session, runs } = repositoryOf();
    const [common, file] = [put('common', 100), put('file', 1000)];
    const shared = folder('shared', [{ type: 'f', obj: common }], 10);
    // More volumes than one group holds, each with two snapshots; all share one folder.
    for (let volume = 0; volume < 40; volume++)
      for (const day of [1, 2]) {
        const own = folder(`own-${volume}-${day}`, [{ type: 'f', obj: volume === 39 ? file : common }], 1);
        const entries = [own, shared].map((obj) => ({ type: 'd', obj }));
        snapshot(`snapshot-data-upload-download/kopia/shop/v${volume}`, folder(`root-${volume}-${day}`, entries, 1));
      }
    const { volumes, ...sums } = await repositoryUsage(kopiaRepository(session), { signal });
    expect(sums).toEqual({ engine: 'kopia', referencedBytes: 1270, sharedBytes: 110, reclaimableBytes: 0 });
    expect(volumes.map(({ uniqueBytes, sharedBytes }) => [uniqueBytes, sharedBytes])).toEqual(
      volumes.map(({ persistentVolumeClaim }) => [persistentVolumeClaim === 'v39' ? 1004 : 4, 110]),
    );
    // Two levels of two groups of volumes.
    expect(runs.filter((run) => run.startsWith('content show'))).toHaveLength(4);
    // Once per group, although all of its volumes contain it.
    expect(runs.filter((run) => run.includes(shared))).toHaveLength(2);
  });

  it('follows a folder that was split into several contents, and counts the attributes that Lateen stores beside a volume', async () => {
    const { put, folder, list, snapshot, session } = repositoryOf();
    const file = put('file', 100);
    const piece = put('piece-of-folder', 10, { letter: 'k' });
    const inner = list('list-of-folder', [piece], 1);
    snapshot('snapshot-data-upload-download/kopia/shop/data', folder('root', [{ type: 'd', obj: `I${inner}` }], 1));
    snapshot('lateen-attributes/shop/data', folder('attributes', [{ type: 'f', obj: file }], 1));
    snapshot('/home/me', folder('mine', [], 5));
    const { volumes, reclaimableBytes } = await repositoryUsage(kopiaRepository(session), { signal });
    expect(volumes).toEqual([
      { namespace: '', persistentVolumeClaim: '', source: '/home/me', snapshots: 1, uniqueBytes: 5, sharedBytes: 0 },
      { namespace: 'shop', persistentVolumeClaim: 'data', snapshots: 1, uniqueBytes: 113, sharedBytes: 0 },
    ]);
    expect(reclaimableBytes).toBe(0);
  });
});
