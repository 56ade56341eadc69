import {
  annotations,
  type Restore,
  type VolumeGroupSnapshotContent,
  type VolumeSnapshot,
  volumeGroupSnapshotContentType,
} from '@lateen/api-types';
import { isAlreadyExists, isNotFound } from '@lateen/kube';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { ofRestore, restoreLabels } from './restore-labels.ts';
import { restoredSnapshotName } from './snapshot-name.ts';

/** Selects the stubs of a restore. */
export const groupStubsOf = (restore: Restore): string => ofRestore(restore);

/**
 * A driver reports that a snapshot belongs to a group, and the snapshot controller then sets it to ready only if it knows the
 * group. So the restore creates a content for the group, and deletes it at its end (after-1.18.1.md 1A). Does nothing where
 * groups are not known.
 */
export async function ensureGroupStub(
  stored: VolumeSnapshot,
  driver: string | undefined,
  context: RestoreActionContext,
  signal: AbortSignal,
): Promise<void> {
  const { annotations: noted = {} } = stored.metadata;
  const { [annotations.csiVolumeGroupSnapshotHandle]: group, [annotations.csiVolumeSnapshotHandle]: handle } = noted;
  if (group === undefined || handle === undefined || driver === undefined || context.dryRun) return;
  const stub = stubFor({ group, handle, driver, namespace: stored.metadata.namespace ?? '' }, context);
  const { name = '' } = stub.metadata;
  try {
    await context.kube.create(volumeGroupSnapshotContentType, stub, { signal });
  } catch (error) {
    if (isNotFound(error)) return;
    // It was created by an earlier attempt, or for another snapshot of the group; that attempt may have been interrupted here.
    if (!isAlreadyExists(error)) throw error;
  }
  const body = { status: { volumeGroupSnapshotHandle: group, readyToUse: true } };
  const status = { signal, subresource: 'status' };
  await context.kube.patch(volumeGroupSnapshotContentType, { name }, { type: 'merge', body }, status);
}

function stubFor(
  { group, handle, driver, namespace }: { group: string; handle: string; driver: string; namespace: string },
  { restore, mappedNamespace }: RestoreActionContext,
): VolumeGroupSnapshotContent {
  const name = restoredSnapshotName(restore, group);
  const { group: apiGroup, version } = volumeGroupSnapshotContentType;
  const apiVersion = `${apiGroup}/${version}`;
  return {
    apiVersion,
    kind: 'VolumeGroupSnapshotContent',
    metadata: { name, labels: restoreLabels(restore) },
    spec: {
      deletionPolicy: 'Retain',
      driver,
      source: { groupSnapshotHandles: { volumeGroupSnapshotHandle: group, volumeSnapshotHandles: [handle] } },
      volumeGroupSnapshotRef: { apiVersion, kind: 'VolumeGroupSnapshot', namespace: mappedNamespace(namespace), name },
    },
  };
}
