import type { EngineState } from '@lateen/block-engine';
import { type EngineStatus, type ReplicaMode, replicaModes } from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MergeContext, mergeEngineStatus } from './merge-engine-status.ts';

const nowMs = Date.UTC(2026, 2, 1);
const context: MergeContext = {
  folded: new Set(),
  rebuilding: new Set(),
  addresses: { a: '10.0.0.1:1' },
  wantedBytes: 10n,
  sinceProgressMs: 0,
  nowMs,
};
const fact = (parts: Partial<EngineState> = {}): EngineState => ({
  modes: {},
  failures: [],
  holding: false,
  paused: false,
  sizeBytes: 10n,
  cleanStop: false,
  snapshots: [],
  ...parts,
});
const failures = [{ replica: 'a', cause: 'timeout', message: 'no answer', atMs: 0, recorded: true }];

describe('mergeEngineStatus', () => {
  it.each<[string, ReplicaMode | undefined, Partial<EngineState>, boolean, ReplicaMode | undefined]>([
    ['takes the modes that the engine reports', undefined, { modes: { a: 'RW' } }, false, 'RW'],
    ['takes a rebuilt replica as in use', 'WO', { modes: { a: 'RW' } }, false, 'RW'],
    ['writes a failure that the recorder has not written', 'RW', { failures }, false, 'ERR'],
    ['keeps a recorded failure that the engine does not know', 'ERR', { modes: { a: 'RW' } }, false, 'ERR'],
    ['keeps a recorded failure after it is folded', 'ERR', { modes: { a: 'RW' } }, true, 'ERR'],
    ['starts no rebuild before the failure is folded', 'ERR', { modes: { a: 'WO' } }, false, 'ERR'],
    ['starts the rebuild after the failure is folded', 'ERR', { modes: { a: 'WO' }, failures }, true, 'WO'],
    ['forgets a folded failure', 'ERR', { failures }, true, undefined],
    ['does not bring a folded failure back', undefined, { failures }, true, undefined],
    ['reports a rebuild that failed', 'WO', { failures }, true, 'ERR'],
    ['reports a rebuild that ended without an error', 'WO', {}, false, 'ERR'],
    ['keeps a replica in use that the engine does not list', 'RW', {}, false, 'RW'],
    ['keeps the written end of a rebuild against an older report', 'RW', { modes: { a: 'WO' } }, false, 'RW'],
  ])('%s', (_, before, told, folded, after) => {
    const status = before === undefined ? {} : { replicaModeMap: { a: before } };
    const merged = mergeEngineStatus(status, fact(told), { ...context, folded: new Set(folded ? ['a'] : []) });
    expect(merged.replicaModeMap?.a).toBe(after);
  });
  it('keeps mode WO of a requested rebuild until the engine reports the rebuild', () => {
    const rebuilt = { ...context, rebuilding: new Set(['a']) };
    const status = { replicaModeMap: { a: 'WO' as const } };
    expect(mergeEngineStatus(status, fact(), rebuilt).replicaModeMap?.a).toBe('WO');
    expect(mergeEngineStatus(status, fact({ failures }), rebuilt).replicaModeMap?.a).toBe('ERR');
  });
  it('never changes ERR to RW, and merges the same facts without a further change', () => {
    const name = fc.constantFrom('a', 'b');
    const told = fc.record({
      modes: fc.dictionary(name, fc.constantFrom('RW', 'WO')),
      failed: fc.subarray(['a', 'b']),
      folded: fc.subarray(['a', 'b']),
    });
    fc.assert(
      fc.property(fc.dictionary(name, fc.constantFrom(...replicaModes)), told, (before, { modes, failed, folded }) => {
        const facts = fact({ modes, failures: failed.map((replica) => ({ ...failures[0], replica }) as never) });
        const merge = (status: object) => mergeEngineStatus(status, facts, { ...context, folded: new Set(folded) });
        const once = merge({ replicaModeMap: before });
        for (const each of ['a', 'b']) if (before[each] === 'ERR') expect(once.replicaModeMap?.[each]).not.toBe('RW');
        if (failed.every((each) => modes[each] === undefined) && folded.length === 0) expect(merge(once)).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });
  it('writes progress at most every five seconds, and the end of a rebuild at once', () => {
    const rebuild = { replica: 'a', step: 'copy', layer: 1, layers: 1, doneBytes: 10n, totalBytes: 100n };
    const first = mergeEngineStatus({}, fact({ rebuild }), context);
    expect(first.rebuildStatus).toMatchObject({ '10.0.0.1:1': { progress: 10, isRebuilding: true } });
    const later = fact({ rebuild: { ...rebuild, doneBytes: 50n } });
    expect(mergeEngineStatus(first, later, { ...context, sinceProgressMs: 4_999 })).toEqual(first);
    const due = mergeEngineStatus(first, later, { ...context, sinceProgressMs: 5_000 });
    expect(due.rebuildStatus).toMatchObject({ '10.0.0.1:1': { progress: 50 } });
    const broken = fact({ rebuild: { ...rebuild, error: { code: 'LINK_LOST', message: 'lost' } } });
    expect(mergeEngineStatus(first, broken, context).rebuildStatus).toMatchObject({ '10.0.0.1:1': { state: 'error' } });
    expect(mergeEngineStatus(first, fact(), context).rebuildStatus).toEqual({});
  });
  it('reports the purge result of each replica, one replica after the other, until the next purge begins', () => {
    const both: MergeContext = { ...context, addresses: { a: '10.0.0.1:1', b: '10.0.0.2:1' } };
    const at = (replica: string, doneBytes: bigint) => ({ purge: { replica, doneBytes, totalBytes: 100n } });
    const told = (status: EngineStatus, parts: Partial<EngineState>, sinceProgressMs = 0) => {
      const merged = mergeEngineStatus(status, fact(parts), { ...both, sinceProgressMs });
      return [merged, merged.purgeStatus] as const;
    };
    const going = (progress: number) => ({ isPurging: true, progress, error: '', state: 'in_progress' });
    const complete = { isPurging: false, progress: 100, error: '', state: 'complete' };
    const [first, ofFirst] = told({}, at('a', 10n));
    expect(ofFirst).toEqual({ '10.0.0.1:1': going(10) });
    expect(told(first, at('a', 50n), 4_999)[1]).toEqual(ofFirst);
    expect(told(first, at('a', 50n), 5_000)[1]).toEqual({ '10.0.0.1:1': going(50) });
    const [second, ofSecond] = told(first, at('b', 0n));
    expect(ofSecond).toEqual({ '10.0.0.1:1': complete, '10.0.0.2:1': going(0) });
    const [over, ofOver] = told(second, {});
    expect(ofOver).toEqual({ '10.0.0.1:1': complete, '10.0.0.2:1': complete });
    expect(told(over, {})[1]).toEqual(ofOver);
    expect(told(over, at('a', 0n))[1]).toEqual({ '10.0.0.1:1': going(0) });
    const error = { code: 'DISK_IO', message: 'no space left on device' };
    expect(told(second, { purge: { ...at('a', 0n).purge, error } })[1]).toEqual({
      '10.0.0.1:1': { isPurging: false, progress: 0, error: 'no space left on device', state: 'error' },
      '10.0.0.2:1': complete,
    });
    expect(mergeEngineStatus(over, fact(), context).purgeStatus).toEqual({ '10.0.0.1:1': complete });
  });
  it('keeps the reason of a failed expansion until the engine has its size', () => {
    const status = { lastExpansionError: 'no room', lastExpansionFailedAt: 'then' };
    expect(mergeEngineStatus(status, fact(), { ...context, wantedBytes: 11n })).toMatchObject(status);
    expect(mergeEngineStatus(status, fact({ sizeBytes: 11n }), { ...context, wantedBytes: 11n })).toMatchObject({
      lastExpansionError: '',
      lastExpansionFailedAt: '',
    });
  });
  it('copies snapshots in the form that Longhorn API clients expect', () => {
    const snapshot = {
      name: 's',
      children: ['volume-head'],
      removed: false,
      userCreated: true,
      created: 'then',
      sizeBytes: 5n,
      labels: {},
    };
    const { snapshots, currentSize } = mergeEngineStatus({}, fact({ snapshots: [snapshot] }), context);
    expect(currentSize).toBe('10');
    expect(snapshots?.s).toEqual({
      name: 's',
      parent: '',
      children: { 'volume-head': true },
      removed: false,
      usercreated: true,
      created: 'then',
      size: '5',
      labels: {},
    });
  });
});
