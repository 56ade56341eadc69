import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import type { EngineExit } from '../engine/engine-process.ts';
import { forgetSnapshots } from './forget-snapshots.ts';
import type { RepositorySession } from './repository-session.ts';

const { signal } = new AbortController();
const kopiaId = (index: number) => index.toString(16).padStart(32, '0');
const resticId = (index: number) => index.toString(16).padStart(8, '0').padEnd(64, 'a');

/** An engine with these snapshots that deletes them when told to, unless the command begins with the words in `failing`. */
function engineWith(engine: 'kopia' | 'restic', ids: readonly string[], failing = 'nothing') {
  const present = new Set(ids);
  const runs: string[] = [];
  const run = async (
    words: readonly string[],
    options: { onStdout?: (chunk: Buffer) => void },
  ): Promise<Partial<EngineExit>> => {
    const args = words.join(' ');
    runs.push(args.length > 100 ? `${words.slice(0, 2).join(' ')} … ${words.length}` : args);
    if (args.startsWith(failing)) return { exitCode: 1, stderr: 'no space left' };
    if (args.includes('--json')) {
      options.onStdout?.(Buffer.from(JSON.stringify([...present].map((id) => ({ id, labels: { type: 'snapshot' } })))));
    } else {
      for (const word of words) present.delete(word);
    }
    return { exitCode: 0, stderr: '', stdout: '' };
  };
  const failure = (exit: EngineExit, doing: string) => new AppError('ENGINE_FAILED', `${doing}: ${exit.stderr}`);
  return { session: { engine, run, failure } as unknown as RepositorySession, runs, present };
}

describe('forgetSnapshots', () => {
  it('deletes the snapshots that exist in a kopia repository, and no others', async () => {
    const { session, runs, present } = engineWith('kopia', [1, 2, 3].map(kopiaId));
    const snapshotIDs = [kopiaId(1), kopiaId(3), kopiaId(9), kopiaId(1)];
    expect(await forgetSnapshots(session, { snapshotIDs, signal })).toEqual({
      engine: 'kopia',
      forgotten: 2,
      missing: 1,
    });
    expect([...present]).toEqual([kopiaId(2)]);
    expect(runs).toEqual([
      'manifest list --filter=type:snapshot --json',
      `snapshot delete ${kopiaId(1)} ${kopiaId(3)} --delete`,
    ]);
    expect(await forgetSnapshots(session, { snapshotIDs, signal })).toMatchObject({ forgotten: 0, missing: 3 });
    expect(runs).toHaveLength(3);
  });

  it('deletes the snapshots that exist in a restic repository by long or short ID, after removing stale locks', async () => {
    const { session, runs, present } = engineWith('restic', [1, 2].map(resticId));
    expect(await forgetSnapshots(session, { snapshotIDs: [resticId(1).slice(0, 8)], signal })).toEqual({
      engine: 'restic',
      forgotten: 1,
      missing: 0,
    });
    expect([...present]).toEqual([resticId(2)]);
    expect(runs).toEqual(['unlock', 'snapshots --json --no-lock', `forget ${resticId(1)}`]);
  });

  it('deletes thousands in runs of five hundred', async () => {
    const ids = Array.from({ length: 1_201 }, (_, index) => kopiaId(index));
    const { session, runs, present } = engineWith('kopia', ids);
    expect((await forgetSnapshots(session, { snapshotIDs: ids, signal })).forgotten).toBe(1_201);
    expect(present.size).toBe(0);
    expect(runs.slice(1)).toEqual(['snapshot delete … 503', 'snapshot delete … 503', 'snapshot delete … 204']);
  });

  it.each(['--all', 'latest', '', 'k1234', '../x', kopiaId(1).slice(1)])(
    'does not call kopia for the ID "%s"',
    async (id) => {
      const { session, runs } = engineWith('kopia', [kopiaId(1)]);
      expect(await forgetSnapshots(session, { snapshotIDs: [id], signal })).toMatchObject({ forgotten: 0, missing: 1 });
      expect(runs).toEqual([]);
    },
  );

  it.each([
    ['kopia', 'manifest list'],
    ['kopia', 'snapshot delete'],
    ['restic', 'unlock'],
    ['restic', 'forget'],
  ] as const)('fails when %s fails during %s', async (engine, failing) => {
    const ids = [engine === 'kopia' ? kopiaId(1) : resticId(1)];
    const { session } = engineWith(engine, ids, failing);
    await expect(forgetSnapshots(session, { snapshotIDs: ids, signal })).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
    });
  });
});
