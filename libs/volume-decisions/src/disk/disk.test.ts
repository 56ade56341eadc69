import type { DiskStatus } from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDiskSpec, aFoundDisk } from '../node/example-node.ts';
import { aReplica } from '../volume/example-volume.ts';
import { bytesOf, numberOf } from './bytes-of.ts';
import { decideDisk } from './decide-disk.ts';
import { diskConflicts } from './disk-conflicts.ts';
import type { DiskSeen } from './disk-seen.ts';

const t0 = Date.parse('2026-03-01T00:00:00Z');
const GiB = 1024n ** 3n;
const path = '/mnt/a';
const seen = (parts: Partial<DiskSeen> = {}): DiskSeen => ({
  node: 'n1',
  name: 'a',
  spec: aDiskSpec(path),
  found: aFoundDisk(path, { uuid: 'u' }),
  replicas: [],
  instanceManager: 'im',
  settings: { overProvisioningPercentage: 100, minimalAvailablePercentage: 25 },
  freshUuid: 'fresh',
  ...parts,
});
const conditions = ({ conditions: all }: DiskStatus) =>
  Object.fromEntries(
    (all ?? []).map(({ type, status, reason }) => [type, reason === '' ? status : `${status} ${reason}`]),
  );
const onDisk = (name: string, volumeSize: string, spec = {}) =>
  aReplica(name, 'n1', { diskID: 'u', volumeSize, ...spec });

describe('a disk', () => {
  it('becomes ready, keeps its identity, and counts the full volume size of each replica, failed replicas included', () => {
    const replicas = [
      onDisk('r2', `${20n * GiB}`, { failedAt: '2026-02-28T00:00:00Z' }),
      onDisk('r1', `${10n * GiB}`),
      onDisk('odd', 'ten'),
      aReplica('other-node', 'n2', { diskID: 'u', volumeSize: '1' }),
      onDisk('other-disk', '1', { diskID: 'v' }),
    ];
    const { status, events, register } = decideDisk(seen({ replicas }), t0);
    expect(status).toMatchObject({
      diskUUID: 'u',
      storageMaximum: Number(100n * GiB),
      storageAvailable: Number(80n * GiB),
      storageScheduled: Number(30n * GiB),
      filesystemType: 'xfs',
      instanceManagerName: 'im',
    });
    expect(Object.entries(status.scheduledReplica ?? {})).toEqual([
      ['odd', 0],
      ['r1', Number(10n * GiB)],
      ['r2', Number(20n * GiB)],
    ]);
    expect(conditions(status)).toEqual({ Ready: 'True', Schedulable: 'True' });
    expect(events).toEqual([{ type: 'Normal', reason: 'Ready', message: 'Disk a(/mnt/a) on node n1 is ready' }]);
    expect(register).toBeUndefined();
    const again = decideDisk(seen({ replicas, before: status }), t0 + 60_000);
    expect(again).toEqual({ status, events: [] });
  });

  it('without an identity asks for one and accepts no replica until it has one', () => {
    const { status, register } = decideDisk(seen({ found: aFoundDisk(path, { uuid: undefined }) }), t0);
    expect(register).toEqual({ do: 'register-disk', disk: 'a', path, uuid: 'fresh' });
    expect(status.diskUUID).toBe('');
    expect(conditions(status)).toEqual({ Ready: 'False DiskNotRegistered', Schedulable: 'False DiskNotReady' });
  });

  it.each<[string, Partial<DiskSeen>, string, string]>([
    [
      'is not mounted',
      { found: aFoundDisk(path, { uuid: undefined }) },
      'DiskFilesystemChanged',
      'disk u is not there: is it mounted?',
    ],
    [
      'is another disk',
      { found: aFoundDisk(path, { uuid: 'v' }) },
      'DiskFilesystemChanged',
      'disk v is there instead of disk u',
    ],
    [
      'cannot be read',
      { found: aFoundDisk(path, { error: { code: 'DISK_IO', message: 'EIO at /mnt/a' } }) },
      'NoDiskInfo',
      'EIO at /mnt/a',
    ],
    [
      'shares a file system',
      { conflict: 'disk has same file system ID f as disk b' },
      'DiskFilesystemChanged',
      'disk has same file system ID f as disk b',
    ],
    [
      'is a device',
      { spec: aDiskSpec(path, { diskType: 'block' }) },
      'UnsupportedDiskType',
      'disks of type block are not supported by this volume manager',
    ],
  ])('that %s offers no space but keeps its identity and its replicas', (_, parts, reason, why) => {
    const before = decideDisk(seen(), t0).status;
    const replicas = [onDisk('r1', '5')];
    const { status, register, events } = decideDisk(seen({ ...parts, before, replicas }), t0 + 60_000);
    expect(conditions(status)).toEqual({ Ready: `False ${reason}`, Schedulable: 'False DiskNotReady' });
    expect(status).toMatchObject({ diskUUID: 'u', storageMaximum: 0, storageAvailable: 0, storageScheduled: 5 });
    expect(register).toBeUndefined();
    expect(events).toEqual([{ type: 'Warning', reason, message: `Disk a(/mnt/a) on node n1 is not ready: ${why}` }]);
  });

  it.each<[Partial<DiskSeen>, string]>([
    [{ found: undefined }, 'NoDiskInfo'],
    [{ nodeProblem: 'node n1 is down' }, 'NodeNotReady'],
  ])('that cannot be inspected keeps its last figures: %j', (parts, reason) => {
    const before = decideDisk(seen(), t0).status;
    const { status } = decideDisk(seen({ ...parts, before }), t0);
    expect(conditions(status).Ready).toBe(`False ${reason}`);
    expect(status).toMatchObject({ storageMaximum: Number(100n * GiB), storageAvailable: Number(80n * GiB) });
  });

  it.each<[bigint, string, string]>([
    [26n * GiB, '1', 'True'],
    [25n * GiB, '1', 'False DiskPressure'],
    [80n * GiB, `${70n * GiB}`, 'True'],
    [80n * GiB, `${70n * GiB + 1n}`, 'False DiskPressure'],
  ])(
    'with %d free and %s scheduled of 100 GiB, 30 GiB reserved: schedulable %s',
    (availableBytes, volumeSize, expected) => {
      const { status } = decideDisk(
        seen({
          spec: aDiskSpec(path, { storageReserved: Number(30n * GiB) }),
          found: aFoundDisk(path, { uuid: 'u', availableBytes }),
          replicas: [onDisk('r1', volumeSize)],
        }),
        t0,
      );
      expect(conditions(status)).toEqual({ Ready: 'True', Schedulable: expected });
    },
  );
});

describe('disks on the same file system', () => {
  const disk = (name: string, recordedUuid: string, filesystemId: string, uuid: string | undefined) => ({
    name,
    recordedUuid,
    found: aFoundDisk(`/mnt/${name}`, { filesystemId, uuid }),
  });
  it('the registered disk stays, whatever the names are', () => {
    const conflicts = diskConflicts([disk('a', '', 'f', undefined), disk('b', 'u', 'f', 'u')]);
    expect([...conflicts]).toEqual([['a', 'disk has same file system ID f as disk b; one disk per file system']]);
  });
  it('an unmounted disk does not block the disk that holds its folder', () => {
    expect(diskConflicts([disk('a', 'u', 'f', undefined), disk('b', '', 'f', undefined)]).size).toBe(0);
  });
  it('refuses a copy of a disk that has the same identity', () => {
    expect([...diskConflicts([disk('a', 'u', 'f', 'u'), disk('b', '', 'g', 'u')]).keys()]).toEqual(['b']);
  });
  it('counts no file system and no identity twice, in any order of disks', () => {
    const arbitrary = fc.record({
      recorded: fc.boolean(),
      uuid: fc.option(fc.constantFrom('u', 'v', 'w'), { nil: undefined }),
      filesystemId: fc.constantFrom('f', 'g', 'h'),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 6 }), fc.infiniteStream(fc.nat()), (rows, chance) => {
        const disks = rows.map(({ recorded, uuid, filesystemId }, index) =>
          disk(`d${index}`, recorded ? (uuid ?? 'u') : '', filesystemId, uuid),
        );
        const conflicts = diskConflicts(disks);
        const order = new Map(disks.map((each) => [each.name, chance.next().value as number]));
        const shuffled = disks.toSorted((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
        expect(new Map(diskConflicts(shuffled))).toEqual(new Map(conflicts));
        const real = disks.filter(({ recordedUuid, found }) => recordedUuid === '' || recordedUuid === found.uuid);
        const kept = real.filter(({ name }) => !conflicts.has(name));
        expect(new Set(kept.map(({ found }) => found.filesystemId)).size).toBe(kept.length);
        const identities = kept.flatMap(({ found }) => found.uuid ?? []);
        expect(new Set(identities).size).toBe(identities.length);
        expect(kept.length > 0).toBe(real.length > 0);
      }),
      { numRuns: 300 },
    );
  });
});

it('treats sizes that a JSON number cannot hold exactly as unknown', () => {
  expect([undefined, -1, 1.5, Number.NaN, 2 ** 53].map(bytesOf)).toEqual(Array(5).fill(undefined));
  expect([0, 2 ** 53 - 1].map(bytesOf)).toEqual([0n, 2n ** 53n - 1n]);
  expect([1n, 2n ** 53n].map(numberOf)).toEqual([1, 2 ** 53 - 1]);
});
