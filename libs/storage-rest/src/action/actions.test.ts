import { describe, expect, it } from 'vitest';
import { exampleSnapshot } from '../format/example-objects.ts';
import { exampleVolume } from '../format/example-volume.ts';
import { volumeActionRows } from '../schema/volume-action-row.ts';
import { planVolumeAction } from './plan-volume-action.ts';
import { readInput } from './read-input.ts';
import type { VolumeActionSeen } from './volume-action-seen.ts';

const seen: VolumeActionSeen = {
  ...exampleVolume,
  snapshots: [exampleSnapshot],
  readyNodes: new Set(['node-1', 'node-2']),
  availableTargets: new Set(['default']),
  uuid: '01234567-89ab-cdef-0123-456789abcdef',
};
/** The example volume with other values in spec and status. */
function having(spec: object, status: object = {}): VolumeActionSeen {
  const { volume } = seen;
  return { ...seen, volume: { ...volume, spec: { ...volume.spec, ...spec }, status: { ...volume.status, ...status } } };
}
const standby = having({ Standby: true });
const restored = (volume: VolumeActionSeen): VolumeActionSeen => ({
  ...volume,
  engines: volume.engines.map((engine) => ({
    ...engine,
    status: { ...engine.status, lastRestoredBackup: 'backup-1' },
  })),
});
const detached = having({}, { state: 'detached' });
const stopped: VolumeActionSeen = { ...seen, engines: [] };
const unused = having({}, { kubernetesStatus: {} });
const webhook = 'admission webhook "validator.longhorn.io" denied the request: ';

describe('planVolumeAction', () => {
  it.each<[string, unknown, VolumeActionSeen, object]>([
    ['detach', undefined, seen, { do: 'drop-tickets', ids: [] }],
    ['detach', { attachmentID: 'csi-1', hostId: 'other' }, seen, { do: 'drop-tickets', ids: ['csi-1'] }],
    ['detach', { forceDetach: true }, seen, { do: 'drop-tickets', ids: ['csi-1', 'new-1'] }],
    [
      'activate',
      { frontend: 'blockdev' },
      restored(standby),
      { do: 'set-spec', spec: { frontend: 'blockdev', Standby: false } },
    ],
    ['expand', { size: '20Gi' }, seen, { do: 'set-spec', spec: { size: '21474836480' } }],
    ['expand', { size: '10737418241' }, seen, { do: 'set-spec', spec: { size: '10739515392' } }],
    ['expand', { size: '1Gi' }, seen, { do: 'nothing' }],
    ['updateReplicaCount', { replicaCount: 3 }, seen, { do: 'set-spec', spec: { numberOfReplicas: 3 } }],
    ['updateAccessMode', { accessMode: 'rwop' }, detached, { do: 'set-spec', spec: { accessMode: 'rwop' } }],
    [
      'updateSnapshotMaxSize',
      { snapshotMaxSize: '30Gi' },
      seen,
      { do: 'set-spec', spec: { snapshotMaxSize: '32212254720' } },
    ],
    [
      'updateReplicaRebuildingBandwidthLimit',
      { replicaRebuildingBandwidthLimit: '50' },
      seen,
      { do: 'set-spec', spec: { replicaRebuildingBandwidthLimit: 50 } },
    ],
    ['snapshotCreate', {}, seen, { do: 'take-snapshot', name: 'snap-0123456789abcdef', labels: {}, wait: true }],
    [
      'snapshotCRCreate',
      { name: 's', labels: { a: 'b' } },
      stopped,
      { do: 'take-snapshot', name: 's', labels: { a: 'b' }, wait: false },
    ],
    ['snapshotCRDelete', { name: 'snap-1' }, stopped, { do: 'delete-snapshot-object', name: 'snap-1' }],
    ['snapshotDelete', { name: 'snap-1' }, seen, { do: 'remove-snapshot', name: 'snap-1' }],
    [
      'snapshotRevert',
      { name: 'snap-1' },
      having({}, { frontendDisabled: true }),
      { do: 'revert', snapshot: 'snap-1' },
    ],
    ['snapshotPurge', undefined, seen, { do: 'purge-snapshots' }],
    [
      'pvCreate',
      { pvName: 'p', fsType: 'xfs' },
      unused,
      { do: 'create-pv', pvName: 'p', fsType: 'xfs', secretName: '', secretNamespace: '', storageClassName: '' },
    ],
    ['pvcCreate', { namespace: 'n', pvcName: 'c' }, unused, { do: 'create-pvc', namespace: 'n', pvcName: 'c' }],
    [
      'recurringJobAdd',
      { name: 'g', isGroup: true },
      seen,
      { do: 'set-labels', labels: { 'recurring-job-group.longhorn.io/g': 'enabled' } },
    ],
    ['recurringJobDelete', { name: 'j' }, seen, { do: 'set-labels', labels: { 'recurring-job.longhorn.io/j': null } }],
  ])('%s with %j', (action, body, given, intent) => {
    expect(planVolumeAction(action, body, given).intent).toEqual(intent);
  });

  it('attach creates a ticket, whose generation increases when it changes', () => {
    const body = { hostId: 'node-2', disableFrontend: true, attachedBy: 'me', unknown: 1 };
    const ticket = {
      id: '',
      type: 'longhorn-api',
      nodeID: 'node-2',
      parameters: { disableFrontend: 'true', lastAttachedBy: 'me' },
      generation: 0,
    };
    expect(planVolumeAction('attach', body, seen)).toEqual({ intent: { do: 'put-ticket', ticket }, answer: 'bare' });
    const again = planVolumeAction('attach', { ...body, attachmentID: 'csi-1' }, seen);
    expect(again.intent).toMatchObject({ ticket: { id: 'csi-1', generation: 1 } });
  });
  it('a backup has the labels that a restore needs, and names its target', () => {
    const { intent, answer } = planVolumeAction('snapshotBackup', { name: 'snap-1', labels: { a: 'b' } }, seen);
    expect(answer).toBe('full');
    expect(intent).toMatchObject({ do: 'back-up', snapshot: 'snap-1', mode: 'incremental', target: 'default' });
    expect(intent).toMatchObject({ labels: { a: 'b', 'longhorn.io/volume-access-mode': 'rwo' } });
    expect(JSON.parse((intent as { labels: Record<string, string> }).labels.KubernetesStatus ?? '')).toMatchObject({
      pvcName: 'data',
    });
  });

  it.each<[string, unknown, VolumeActionSeen, string]>([
    [
      'attach',
      { hostId: 'node-9' },
      seen,
      "unable to attach volume pvc-1 to node-9: node node-9 is not ready, couldn't attach volume pvc-1 to it",
    ],
    ['detach', {}, standby, 'cannot detach standby volume pvc-1'],
    ['salvage', { names: [] }, seen, 'cannot salvage volume pvc-1: it is not faulted'],
    ['activate', { frontend: 'blockdev' }, seen, 'volume pvc-1 is already in active mode'],
    ['activate', { frontend: 'tape' }, standby, 'invalid frontend tape'],
    [
      'activate',
      { frontend: 'blockdev' },
      standby,
      'cannot activate volume pvc-1: its first backup is not restored yet',
    ],
    [
      'activate',
      { frontend: 'iscsi' },
      restored(standby),
      `${webhook}frontend iscsi is not supported by this volume manager: take blockdev`,
    ],
    [
      'expand',
      { size: '20Gi' },
      having({}, { state: 'attaching' }),
      'unable to expand volume pvc-1: invalid volume state to expand: attaching',
    ],
    ['expand', { size: 'much' }, seen, 'error parsing size "much"'],
    ['replicaRemove', { name: 'pvc-1-r-zzzzzzzz' }, seen, 'replica pvc-1-r-zzzzzzzz of volume pvc-1 is not there'],
    ['updateReplicaCount', { replicaCount: 3 }, detached, 'invalid volume state to update replica count'],
    ['updateReplicaCount', { replicaCount: 21 }, seen, `${webhook}replica count value 21 must between 1 to 20`],
    [
      'updateReplicaCount',
      { replicaCount: '3' },
      seen,
      'cannot read UpdateReplicaCountInput: replicaCount is not of type int',
    ],
    ['updateReplicaCount', undefined, detached, 'cannot read UpdateReplicaCountInput: the body is not a JSON object'],
    [
      'updateAccessMode',
      { accessMode: 'rwop' },
      seen,
      `${webhook}can only update volume access mode while volume is detached`,
    ],
    [
      'updateAccessMode',
      { accessMode: 'rwx' },
      detached,
      `${webhook}access mode rwx is not supported by this volume manager: take rwo, or rwop`,
    ],
    ['snapshotCreate', {}, stopped, 'cannot get pvc-1 volume engine: engine is not running'],
    ['snapshotCreate', {}, standby, 'failed to create snapshot for standby volume pvc-1'],
    ['snapshotCreate', {}, having({ migrationNodeID: 'node-2' }), 'cannot operate during migration'],
    ['snapshotGet', { name: 'gone' }, seen, 'snapshot "gone" of volume pvc-1 is not there'],
    ['snapshotCRGet', { name: 'gone' }, seen, 'snapshot "gone" of volume pvc-1 is not there'],
    ['snapshotRevert', { name: 'snap-1' }, seen, 'failed to revert snapshot for volume pvc-1 with frontend enabled'],
    ['snapshotBackup', { name: 'snap-1' }, having({ backupTargetName: 'far' }), 'backup target far is not available'],
    ['pvCreate', {}, seen, 'volume already had PV pvc-1'],
    ['pvcCreate', {}, seen, 'volume already had PVC data'],
    ['jobList', {}, seen, 'volume pvc-1 has no action "jobList"'],
    ['constructor', {}, seen, 'volume pvc-1 has no action "constructor"'],
  ])('%s with %j is rejected', (action, body, given, words) => {
    expect(() => planVolumeAction(action, body, given)).toThrow(words);
  });

  it.each(volumeActionRows.filter(({ offered }) => offered !== 'never').map(({ name }) => name))(
    'supports %s',
    (name) => {
      let words = '';
      try {
        planVolumeAction(name, {}, stopped);
      } catch (error) {
        words = String(error);
      }
      expect(words).not.toMatch(/has no action/);
    },
  );
});

describe('readInput', () => {
  it('treats null as not sent and ignores unknown fields', () => {
    const input = readInput('snapshotInput', { name: null, labels: { a: 'b' }, more: 1 });
    expect([input.text('name'), input.map('labels'), input.text('more')]).toEqual(['', { a: 'b' }, '']);
  });
  it.each([{ names: 'a' }, { names: [1] }])('rejects %j', (body) => {
    expect(() => readInput('salvageInput', body)).toThrow('names is not of type array[string]');
  });
});
