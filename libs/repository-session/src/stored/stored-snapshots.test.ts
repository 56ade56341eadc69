import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import type { ServerSession } from '../client/server-session.ts';
import { storedSnapshots } from './stored-snapshots.ts';

const { signal } = new AbortController();

/** A session that has these manifests, by ID; one without text is deleted before it is read. */
const sessionOf = (manifests: Record<string, string | undefined>) =>
  ({
    findManifests: async (labels) => {
      expect(labels).toEqual({ type: 'snapshot', hostname: 'default', username: 'default', path: 'p' });
      return Object.keys(manifests).map((id) => ({ id, labels: {} }));
    },
    getManifest: async (id) => {
      const json = manifests[id];
      if (json === undefined) throw new AppError('SNAPSHOT_NOT_FOUND', id);
      return { id, labels: {}, json };
    },
  }) as Partial<ServerSession> as ServerSession;

const whole = (startTime: string, more: object = {}) =>
  JSON.stringify({ startTime, stats: { totalSize: 512 }, rootEntry: { summ: { numFailed: 0 } }, ...more });
const idsOf = async (manifests: Record<string, string | undefined>) =>
  (await storedSnapshots(sessionOf(manifests), 'p', signal)).map(({ snapshotID }) => snapshotID);
const completeOf = async (json: string) =>
  (await storedSnapshots(sessionOf({ a: json }), 'p', signal)).map(({ isComplete }) => isComplete);

describe('the snapshots of a source', () => {
  it('are sorted newest first, for any time zone and precision', async () => {
    expect(
      await idsOf({
        old: whole('2030-01-01T10:00:00.000000001Z'),
        new: whole('2030-01-01T10:00:00+02:00'),
        newest: whole('2030-01-01T11:00:00.123456789Z'),
      }),
    ).toEqual(['newest', 'old', 'new']);
  });

  it('are complete with a size, a time, and no skipped entry', async () => {
    expect(await storedSnapshots(sessionOf({ a: whole('2030-01-01T10:00:00Z') }), 'p', signal)).toEqual([
      { snapshotID: 'a', isComplete: true, sizeBytes: 512, startMs: Date.parse('2030-01-01T10:00:00Z') },
    ]);
    const at = '2030-01-01T10:00:00Z';
    const halves = [
      whole(at, { incomplete: 'checkpoint' }),
      whole(at, { rootEntry: { summ: { numFailed: 1 } } }),
      whole(at, { rootEntry: { summ: { numFailed: '1' } } }),
      whole(at, { rootEntry: undefined }),
      whole(at, { stats: {} }),
      whole('yesterday'),
      'no JSON',
      'null',
    ];
    for (const json of halves) expect(await completeOf(json), json).toEqual([false]);
  });

  it('count as newest without a start time, because they may be', async () => {
    expect(await idsOf({ known: whole('2030-01-01T10:00:00Z'), unknown: '{}' })).toEqual(['unknown', 'known']);
  });

  it('exclude those deleted meanwhile, and fail with the session', async () => {
    expect(await idsOf({ gone: undefined, kept: whole('2030-01-01T10:00:00Z') })).toEqual(['kept']);
    const lost = new AppError('REPOSITORY_SESSION_LOST', 'lost');
    const session = { ...sessionOf({ a: '{}' }), getManifest: () => Promise.reject(lost) };
    await expect(storedSnapshots(session, 'p', signal)).rejects.toBe(lost);
  });
});
