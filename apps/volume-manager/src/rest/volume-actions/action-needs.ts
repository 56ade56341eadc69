import { longhornNeed, type Need, type RestCall } from '../serving/rest-call.ts';

const reading = [longhornNeed('get', 'volumes')];
const tickets = [longhornNeed('update', 'volumeattachments')];

/**
 * The permission that an action of a volume needs: the one on the objects that it writes, so that no user can do here what they may not do with
 * kubectl. Actions that are not listed need the permission to change the volume.
 */
const needs: Readonly<Record<string, readonly Need[]>> = {
  attach: tickets,
  detach: tickets,
  snapshotGet: reading,
  snapshotList: reading,
  snapshotCRGet: [...reading, longhornNeed('get', 'snapshots')],
  snapshotCRList: [...reading, longhornNeed('list', 'snapshots')],
  recurringJobList: reading,
  snapshotCreate: [longhornNeed('create', 'snapshots')],
  snapshotCRCreate: [longhornNeed('create', 'snapshots')],
  snapshotDelete: [longhornNeed('delete', 'snapshots')],
  snapshotCRDelete: [longhornNeed('delete', 'snapshots')],
  snapshotBackup: [longhornNeed('create', 'backups')],
  replicaRemove: [longhornNeed('delete', 'replicas')],
  salvage: [longhornNeed('update', 'volumes'), longhornNeed('update', 'replicas')],
  pvCreate: [
    longhornNeed('get', 'volumes'),
    { verb: 'create', group: '', resource: 'persistentvolumes', namespace: '' },
  ],
};

export function actionNeeds(call: RestCall): readonly Need[] {
  if (call.action === 'pvcCreate') return claimNeeds(call.body());
  return (Object.hasOwn(needs, call.action) ? needs[call.action] : undefined) ?? [longhornNeed('update', 'volumes')];
}

/** The permission in the namespace of the requested claim. */
function claimNeeds(body: unknown): readonly Need[] {
  const { namespace } = (body ?? {}) as { namespace?: unknown };
  const inside = typeof namespace === 'string' ? namespace : '';
  return [...reading, { verb: 'create', group: '', resource: 'persistentvolumeclaims', namespace: inside }];
}
