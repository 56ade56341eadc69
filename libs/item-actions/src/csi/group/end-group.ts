import {
  type KubeObject,
  type ResourceType,
  type VolumeGroupSnapshot,
  volumeGroupSnapshotContentType,
  volumeGroupSnapshotType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { deleteIfThere, isNotFound, isOwnedBy, type KubeApi, keyOf, keyText, listAll, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import { retireSnapshot } from '@lateen/volume-snapshots';
import type { ActionContext } from '../../contract/action-context.ts';
import { labelsOf } from '../backup-labels.ts';
import type { TakenGroup } from './wait-for-group.ts';

/**
 * Sets the group's objects to Retain, so that deleting them deletes no snapshot, and labels them with the backup, so that they
 * are found after an interruption. Returns the changed objects.
 */
export async function retainGroup(
  taken: TakenGroup,
  { kube, backup }: ActionContext,
  signal: AbortSignal,
): Promise<TakenGroup> {
  const body = { metadata: { labels: labelsOf(backup) }, spec: { deletionPolicy: 'Retain' } };
  const retain = <T extends KubeObject>(type: ResourceType<T>, object: T) =>
    kube.patch(type, keyOf(object), { type: 'merge', body }, { signal });
  const content = await retain(volumeGroupSnapshotContentType, taken.content);
  const members = taken.members.map(async (member) => ({
    ...member,
    content: await retain(volumeSnapshotContentType, member.content),
  }));
  return { ...taken, content, members: await Promise.all(members) };
}

/** Deletes the objects of a retained group, and keeps the snapshots. Safe to repeat. @throws STILL_THERE */
export async function retireGroup(
  { group, content, members }: TakenGroup,
  context: ActionContext,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { kube } = context;
  await deleteIfThere(kube, volumeGroupSnapshotType, group, options.signal);
  await waitGone(context, volumeGroupSnapshotType, group, options);
  await deleteIfThere(kube, volumeGroupSnapshotContentType, content, options.signal);
  await waitGone(context, volumeGroupSnapshotContentType, content, options);
  await Promise.all(members.map((member) => retireSnapshot(context, member, options)));
}

/**
 * Deletes a group and its snapshots on the storage, at whatever step its creation was interrupted; `taken` if the snapshots
 * exist. Takes no signal: it is called after an abort.
 * @throws AppError GROUP_SNAPSHOT_LEFT_BEHIND naming it, so that a user can delete it
 */
export async function deleteGroup(
  made: VolumeGroupSnapshot,
  { kube }: Pick<ActionContext, 'kube'>,
  taken?: TakenGroup,
): Promise<void> {
  try {
    await deleteWhole(made, kube);
    if (taken !== undefined) await deleteParts(taken, kube);
  } catch (error) {
    const key = keyOf(made);
    throw new AppError(
      'GROUP_SNAPSHOT_LEFT_BEHIND',
      `VolumeGroupSnapshot ${keyText(key)} could not be deleted: ${describeError(error)}`,
      { cause: error, nextStep: `Delete it with: kubectl delete volumegroupsnapshot -n ${key.namespace} ${key.name}` },
    );
  }
}

async function deleteWhole(made: VolumeGroupSnapshot, kube: KubeApi): Promise<void> {
  const signal = new AbortController().signal;
  const group = await readObject(kube, volumeGroupSnapshotType, keyOf(made), signal);
  if (group === undefined) return;
  const name = group.status?.boundVolumeGroupSnapshotContentName ?? '';
  const members = await listAll(kube, volumeSnapshotType, { namespace: made.metadata.namespace });
  const contents = members.items
    .filter((each) => isOwnedBy(each, group))
    .map((each) => each.status?.boundVolumeSnapshotContentName ?? '');
  await toDelete(kube, volumeGroupSnapshotContentType, name);
  for (const content of contents) await toDelete(kube, volumeSnapshotContentType, content);
  await deleteIfThere(kube, volumeGroupSnapshotType, group);
}

/** Deletes the retained objects, which stay when the group is deleted. */
async function deleteParts({ content, members }: TakenGroup, kube: KubeApi): Promise<void> {
  await deleteIfThere(kube, volumeGroupSnapshotContentType, content);
  for (const member of members) {
    await deleteIfThere(kube, volumeSnapshotType, member.snapshot);
    await deleteIfThere(kube, volumeSnapshotContentType, member.content);
  }
}

async function toDelete(kube: KubeApi, type: ResourceType, name: string): Promise<void> {
  if (name === '') return;
  try {
    await kube.patch(type, { name }, { type: 'merge', body: { spec: { deletionPolicy: 'Delete' } } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
