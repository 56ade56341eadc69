import type { Pod, VolumeMode } from '@lateen/api-types';
import { parseResourcePolicies, type VolumePolicy } from '@lateen/item-filters';
import { aConfigMap, aPersistentVolume, aPersistentVolumeClaim, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type SnapshotInput, shouldSnapshot } from './should-snapshot.ts';
import { skippedReason } from './skipped-reason.ts';

const policiesOf = (text: string): VolumePolicy[] =>
  parseResourcePolicies(aConfigMap({ data: { policies: `version: v1\nvolumePolicies:\n${text}` } })).volumePolicies;

const volumes = [
  { name: 'vol', persistentVolumeClaim: { claimName: 'data' } },
  { name: 'cache', emptyDir: {} },
];
const plain = aPod({ name: 'web', namespace: 'app', spec: { volumes } });
const reading = aPod({
  name: 'db',
  namespace: 'app',
  annotations: { 'backup.velero.io/backup-volumes': 'vol' },
  spec: { volumes },
});
const optedOut = aPod({
  name: 'no',
  namespace: 'app',
  annotations: { 'backup.velero.io/backup-volumes-excludes': 'vol' },
  spec: { volumes },
});
const other = aPod({
  name: 'other',
  namespace: 'app',
  annotations: { 'backup.velero.io/backup-volumes': 'vol' },
  spec: { volumes: [{ name: 'vol', emptyDir: {} }] },
});

interface Asked {
  spec?: SnapshotInput['spec'];
  policies?: string;
  pods?: Pod[];
  bound?: boolean;
  mode?: VolumeMode;
}

/** `snapshot`, or why there is none. */
function ask({ spec = {}, policies, pods = [], bound = true, mode }: Asked) {
  const choice = shouldSnapshot({
    claim: aPersistentVolumeClaim({
      ...(bound ? { volumeName: 'pv-data' } : {}),
      spec: mode ? { volumeMode: mode } : {},
    }),
    volume: bound ? aPersistentVolume({}) : undefined,
    podsUsing: pods,
    spec,
    policies: policies === undefined ? [] : policiesOf(policies),
  });
  return choice.snapshot ? 'snapshot' : choice.reason;
}

const read = 'pod db has it read through the file system';

/** backup-and-restore.md section 5, second question. */
describe('claims that are snapshotted', () => {
  it.each<[name: string, Asked, answer: string]>([
    ['no setting', {}, 'snapshot'],
    ['snapshotVolumes true', { spec: { snapshotVolumes: true } }, 'snapshot'],
    ['snapshotVolumes null', { spec: { snapshotVolumes: null } }, 'snapshot'],
    ['snapshotVolumes false', { spec: { snapshotVolumes: false } }, 'snapshotVolumes is false'],
    ['a pod that uses it', { pods: [plain] }, 'snapshot'],
    ['a pod that backs it up as files', { pods: [reading] }, read],
    [
      'a pod that would back it up as files, if it were not a block volume',
      { pods: [reading], mode: 'Block' },
      'snapshot',
    ],
    ['one of two pods backs it up as files', { pods: [plain, reading] }, read],
    ['a pod that backs up another volume of that name', { pods: [other] }, 'snapshot'],
    [
      'all volumes are backed up as files',
      { pods: [plain], spec: { defaultVolumesToFsBackup: true } },
      'pod web has it read through the file system',
    ],
    ['all volumes are backed up as files, no pod uses it', { spec: { defaultVolumesToFsBackup: true } }, 'snapshot'],
    [
      'all volumes except this are backed up as files',
      { pods: [optedOut], spec: { defaultVolumesToFsBackup: true } },
      'snapshot',
    ],
    [
      'all volumes except this are backed up as files, snapshots off',
      { pods: [optedOut], spec: { defaultVolumesToFsBackup: true, snapshotVolumes: false } },
      'snapshotVolumes is false',
    ],
    ['a policy says snapshot', { policies: '- action: {type: snapshot}' }, 'snapshot'],
    [
      'a policy says snapshot, snapshots off',
      { policies: '- action: {type: snapshot}', spec: { snapshotVolumes: false } },
      'snapshot',
    ],
    [
      'a policy says snapshot, a pod backs it up as files',
      { policies: '- action: {type: snapshot}', pods: [reading] },
      'snapshot',
    ],
    ['a policy says skip', { policies: '- action: {type: skip}' }, 'volume policy 1 says skip'],
    ['a policy says fs-backup', { policies: '- action: {type: fs-backup}' }, 'volume policy 1 says fs-backup'],
    ['a policy says custom', { policies: '- action: {type: custom}' }, 'volume policy 1 says custom'],
    [
      'the second policy matches',
      { policies: '- conditions: {storageClass: [other]}\n  action: {type: snapshot}\n- action: {type: skip}' },
      'volume policy 2 says skip',
    ],
    ['no policy matches', { policies: '- conditions: {storageClass: [other]}\n  action: {type: skip}' }, 'snapshot'],
    [
      'no policy matches, snapshots off',
      {
        policies: '- conditions: {storageClass: [other]}\n  action: {type: snapshot}',
        spec: { snapshotVolumes: false },
      },
      'snapshotVolumes is false',
    ],
    ['not bound', { bound: false }, 'the claim is not bound to a volume'],
    [
      'not bound, a policy skips it',
      { bound: false, policies: '- conditions: {pvcPhase: [Pending]}\n  action: {type: skip}' },
      'volume policy 1 says skip',
    ],
    [
      'not bound, a policy would snapshot it',
      { bound: false, policies: '- action: {type: snapshot}' },
      'the claim is not bound to a volume',
    ],
  ])('%s: %j: %s', (_, asked, answer) => expect(ask(asked)).toBe(answer));

  it("returns the other settings of the policy's snapshot action", () => {
    const policies = policiesOf('- action: {type: snapshot, parameters: {dataMover: velero, snapshotClass: gold}}');
    const claim = aPersistentVolumeClaim({ volumeName: 'pv-data' });
    expect(shouldSnapshot({ claim, volume: aPersistentVolume({}), podsUsing: [], spec: {}, policies })).toEqual({
      snapshot: true,
      dataMover: 'velero',
      snapshotClass: 'gold',
    });
  });

  it('decides by the volume for a volume without a claim', () => {
    const input = { volume: aPersistentVolume({}), podsUsing: [], spec: {}, policies: [] };
    expect(shouldSnapshot(input)).toEqual({ snapshot: true });
    expect(shouldSnapshot({ ...input, spec: { snapshotVolumes: false } })).toEqual({
      snapshot: false,
      reason: 'snapshotVolumes is false',
    });
  });
});

describe('the skip reason in a volume info', () => {
  it('lists each approach with its reason', () => {
    expect(
      skippedReason([
        { approach: 'podvolume', reason: 'volume policy 1 says skip' },
        { approach: 'csiSnapshot', reason: 'snapshotVolumes is false' },
      ]),
    ).toBe('podvolume: volume policy 1 says skip;csiSnapshot: snapshotVolumes is false;');
    expect(skippedReason([])).toBe('');
  });
});
