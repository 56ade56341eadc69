import { type VolumeSnapshotContent, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { deleteIfThere, isAlreadyExists, isNotFound, keyOf, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import { contentOnHandle, handleOf } from '@lateen/volume-snapshots';
import type { DeleteItemAction } from '../contract/delete-item-action.ts';
import { isNamedFor } from '../csi/backup-labels.ts';

type DeleteContext = Parameters<DeleteItemAction['execute']>[1];

/** The snapshotter's time limit; the driver's call is short. */
const goneTimeoutMs = 300_000;

/** The snapshotter keeps it on each content until the storage has deleted the snapshot. */
const contentFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';

/**
 * Deletes the snapshot that a stored content names: through the content that is still in the cluster, or through a new one
 * (object-store-layout.md section 9). Only for snapshots of this backup. Safe to repeat: a missing snapshot counts as deleted.
 */
export const contentDeleteAction: DeleteItemAction = {
  name: 'velero.io/csi-volumesnapshotcontent-delete',
  appliesTo: { includedResources: ['volumesnapshotcontents.snapshot.storage.k8s.io'] },
  execute: async (item, context, signal) => {
    const stored = item as unknown as VolumeSnapshotContent;
    if (!isNamedFor(stored, context.backup) || handleOf(stored) === undefined) return;
    const present = await readObject(context.kube, volumeSnapshotContentType, keyOf(stored), signal);
    const isSame = present !== undefined && handleOf(present) === handleOf(stored);
    await (isSame ? deletePresent(present, context, signal) : deleteByNewContent(stored, context, signal));
  },
};

async function deletePresent(
  content: VolumeSnapshotContent,
  context: DeleteContext,
  signal: AbortSignal,
): Promise<void> {
  const { kube, backup } = context;
  const body = { spec: { deletionPolicy: 'Delete' } };
  await kube.patch(volumeSnapshotContentType, keyOf(content), { type: 'merge', body }, { signal });
  const { namespace, name = '', uid } = content.spec.volumeSnapshotRef;
  const snapshot = await readObject(kube, volumeSnapshotType, { namespace, name }, signal);
  if (snapshot !== undefined && snapshot.metadata.uid === uid && isNamedFor(snapshot, backup))
    await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
  await deleteIfThere(kube, volumeSnapshotContentType, content, signal);
  await waitGone(context, volumeSnapshotContentType, content, { timeoutMs: goneTimeoutMs, signal });
}

/**
 * Uses a content with the same handle and no VolumeSnapshot. It always has the same name, so that a later attempt continues with
 * it. It is created with the snapshotter's finalizer and as ready: the snapshotter then looks nothing up before the deletion (a
 * lookup fails for a snapshot that the storage no longer has), and the content cannot disappear without the snapshotter.
 */
async function deleteByNewContent(
  stored: VolumeSnapshotContent,
  context: DeleteContext,
  signal: AbortSignal,
): Promise<void> {
  const { kube } = context;
  const id = stored.metadata.uid ?? context.random.uuid();
  const key = { name: `vsc-${id}` };
  const content = contentOnHandle(stored, { ...key, snapshot: { namespace: `ns-${id}`, name: `name-${id}` } });
  content.metadata.finalizers = [contentFinalizer];
  const made = await createOrTake(content, context, signal);
  try {
    const body = { status: { snapshotHandle: handleOf(stored), readyToUse: true } };
    await kube.patch(volumeSnapshotContentType, key, { type: 'merge', body }, { signal, subresource: 'status' });
  } finally {
    // Also after an abort: the content must not stay.
    await deleteIfThere(kube, volumeSnapshotContentType, made);
  }
  try {
    await waitGone(context, volumeSnapshotContentType, made, { timeoutMs: goneTimeoutMs, signal });
  } catch (error) {
    if (!isAppError(error, 'STILL_THERE')) throw error;
    await letGo(made, context);
    throw notDeleted(content, error);
  }
}

async function createOrTake(
  content: VolumeSnapshotContent,
  { kube }: DeleteContext,
  signal: AbortSignal,
): Promise<VolumeSnapshotContent> {
  try {
    return await kube.create(volumeSnapshotContentType, content, { signal });
  } catch (error) {
    const earlier = isAlreadyExists(error)
      ? await readObject(kube, volumeSnapshotContentType, keyOf(content), signal)
      : undefined;
    if (earlier === undefined) throw error;
    return earlier;
  }
}

/** Removes the finalizer that we have set, when no snapshotter handles it. */
async function letGo(made: VolumeSnapshotContent, { kube }: DeleteContext): Promise<void> {
  const body = { metadata: { finalizers: null } };
  try {
    await kube.patch(volumeSnapshotContentType, keyOf(made), { type: 'merge', body });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function notDeleted({ spec: { driver, source } }: VolumeSnapshotContent, cause: unknown): AppError {
  return new AppError(
    'SNAPSHOT_NOT_DELETED',
    `snapshot ${source.snapshotHandle} of CSI driver ${driver} was not deleted by its snapshotter in ${durationText(goneTimeoutMs)}`,
    {
      cause,
      retry: 'later',
      nextStep: `Check that the csi-snapshotter of ${driver} runs in this cluster, and its log; without the driver, delete the snapshot on the storage.`,
    },
  );
}
