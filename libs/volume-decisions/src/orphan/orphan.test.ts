import type { Orphan } from '@lateen/storage-types';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultSettings, readSettings } from '../settings/read-settings.ts';
import { decideOrphan } from './decide-orphan.ts';
import type { OrphanSeen } from './orphan-seen.ts';

const apiVersion = 'longhorn.io/v1beta2';
const t0 = Date.parse('2026-03-01T00:00:00Z');
const minutes = (n: number): string => new Date(t0 + n * 60_000).toISOString().replace('.000Z', 'Z');
const auto = readSettings([
  { apiVersion, kind: 'Setting', metadata: { name: 'orphan-resource-auto-deletion' }, value: 'replica-data' },
]).settings;

const anOrphan = (metadata: Partial<Orphan['metadata']> = {}, spec: Orphan['spec'] = {}): Orphan => ({
  apiVersion,
  kind: 'Orphan',
  metadata: { name: 'orphan-1', creationTimestamp: minutes(0), finalizers: ['longhorn.io'], ...metadata },
  spec: { orphanType: 'replica', nodeID: 'n1', ...spec },
});
const cleanable: OrphanSeen = {
  orphan: anOrphan(),
  folder: { volume: 'gone' },
  volumes: new Set(['vol']),
  settings: defaultSettings,
};
const deleting = { deletionTimestamp: minutes(1) };
const doing = (seen: Partial<OrphanSeen>, at = 1) =>
  decideOrphan({ ...cleanable, ...seen }, t0 + at * 60_000).effects.map((effect) => effect.do);

it('reports that the data can be deleted, and deletes it with the object', () => {
  const { status } = decideOrphan(cleanable, t0);
  expect(status.conditions).toEqual([expect.objectContaining({ type: 'DataCleanable', status: 'True' })]);
  expect(doing({})).toEqual([]);
  expect(doing({ orphan: anOrphan(deleting) })).toEqual(['delete-data', 'drop-finalizer']);
});

it.each([
  ['NodeUnavailable', { nodeProblem: 'n1 is down' }],
  ['DiskInvalid', { diskProblem: 'another disk is mounted there' }],
  ['RecordUnreadable', { folder: { volume: undefined } }],
  ['VolumeExists', { folder: { volume: 'vol' } }],
] as const)('keeps the data when %s, and releases only the object', (reason, seen) => {
  expect(decideOrphan({ ...cleanable, ...seen }, t0).status.conditions?.[0]).toMatchObject({ status: 'False', reason });
  expect(doing({ ...seen, orphan: anOrphan(deleting) })).toEqual(['drop-finalizer']);
  expect(doing({ ...seen, settings: auto }, 1000)).toEqual([]);
});

it('keeps the data until all volumes have been read', () => {
  const { volumes: _, ...unread } = cleanable;
  expect(decideOrphan({ ...unread, orphan: anOrphan(deleting) }, t0).effects).toEqual([{ do: 'drop-finalizer' }]);
});

it('is deleted when the folder is gone or has an owner again', () => {
  expect(doing({ folder: 'gone' })).toEqual(['delete-orphan']);
  expect(doing({ owner: 'replica vol-r-1' })).toEqual(['delete-orphan']);
  expect(doing({ owner: 'replica vol-r-1', orphan: anOrphan(deleting) })).toEqual(['drop-finalizer']);
});

it('is deleted automatically after the grace period if the setting allows it; the period starts when the data became deletable', () => {
  expect(doing({}, 100)).toEqual([]);
  const late = decideOrphan({ ...cleanable, settings: auto }, t0 + 100 * 60_000);
  expect([late.effects, late.again?.afterMs]).toEqual([[], 300_000]);
  const orphan = { ...anOrphan(), status: late.status };
  expect(doing({ settings: auto, orphan }, 104)).toEqual([]);
  expect(doing({ settings: auto, orphan }, 105)).toEqual(['delete-orphan']);
});

it('ends a process only while it is the same process that was found', () => {
  const orphan = anOrphan(deleting, { orphanType: 'replica-instance', parameters: { InstanceUUID: 'u1' } });
  expect(doing({ orphan, instance: { uuid: 'u1' } })).toEqual(['stop-instance', 'drop-finalizer']);
  expect(doing({ orphan, instance: { uuid: 'u2' } })).toEqual(['drop-finalizer']);
  expect(doing({ orphan, instance: 'gone' })).toEqual(['drop-finalizer']);
});

it('never deletes data of a volume that exists, whatever else is seen', () => {
  fc.assert(
    fc.property(
      fc.record({
        deleting: fc.boolean(),
        owner: fc.option(fc.constant('replica r'), { nil: undefined }),
        nodeProblem: fc.option(fc.constant('down'), { nil: undefined }),
        diskProblem: fc.option(fc.constant('gone'), { nil: undefined }),
        folder: fc.constantFrom(
          undefined,
          'gone' as const,
          { volume: 'vol' },
          { volume: 'old' },
          { volume: undefined },
        ),
        all: fc.boolean(),
        auto: fc.boolean(),
        minutes: fc.nat({ max: 20 }),
      }),
      ({ deleting: isDeleting, owner, nodeProblem, diskProblem, folder, all, auto: byItself, minutes: at }) => {
        const seen: OrphanSeen = {
          orphan: anOrphan(isDeleting ? deleting : {}),
          settings: byItself ? auto : defaultSettings,
          ...(owner === undefined ? {} : { owner }),
          ...(nodeProblem === undefined ? {} : { nodeProblem }),
          ...(diskProblem === undefined ? {} : { diskProblem }),
          ...(folder === undefined ? {} : { folder }),
          ...(all ? { volumes: new Set(['vol']) } : {}),
        };
        const effects = doing(seen, at);
        const certain = isDeleting && owner === undefined && !nodeProblem && !diskProblem && all;
        const old = typeof folder === 'object' && folder.volume === 'old';
        expect(effects.includes('delete-data')).toBe(certain && old);
      },
    ),
    { numRuns: 200 },
  );
});
