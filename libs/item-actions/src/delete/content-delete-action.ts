import {
  type VolumeSnapshotContent,
  volumeSnapshotClassType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError, duration } from '@lateen/errors';
import { deleteIfThere, keyOf, readObject } from '@lateen/kube';
import { waitForObject, waitGone } from '@lateen/kube-runtime';
import { contentOnHandle, handleOf } from '@lateen/volume-snapshots';
import type { DeleteItemAction } from '../contract/delete-item-action.ts';
import { isNamedFor } from '../csi/backup-labels.ts';

type DeleteContext = Parameters<DeleteItemAction['execute']>[1];

/** How long a snapshotter may take to look at a new content, and then to delete the snapshot. */
const limits = { pickUpMs: 120_000, goneMs: 600_000 } as const;

/**
 * Deletes the snapshot that a stored content names: by the content that is still in the cluster, or by one that is made for
 * that (object-store-layout.md section 9). Only of this backup's own snapshots. Safe to repeat: a snapshot that is gone
 * counts as deleted.
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
  await waitGone(context, volumeSnapshotContentType, content, { timeoutMs: limits.goneMs, signal });
}

/** A content of the same handle for no VolumeSnapshot. It is deleted once the snapshotter has made it its own. */
async function deleteByNewContent(
  stored: VolumeSnapshotContent,
  context: DeleteContext,
  signal: AbortSignal,
): Promise<void> {
  const { kube, random } = context;
  const id = random.uuid();
  const content = contentOnHandle(stored, {
    name: `vsc-${id}`,
    snapshot: { namespace: `ns-${id}`, name: `name-${id}` },
  });
  if (!(await classExists(content, context, signal))) delete content.spec.volumeSnapshotClassName;
  const made = await kube.create(volumeSnapshotContentType, content, { signal });
  try {
    await untilPickedUp(made, context, signal);
  } finally {
    // Also when nobody wants it, or we are told to stop: it must not stay.
    await deleteIfThere(kube, volumeSnapshotContentType, made);
  }
  await waitGone(context, volumeSnapshotContentType, made, { timeoutMs: limits.goneMs, signal });
}

/** A snapshotter does nothing with a content whose class it does not find. */
async function classExists(
  { spec }: VolumeSnapshotContent,
  { kube }: DeleteContext,
  signal: AbortSignal,
): Promise<boolean> {
  return (
    (await readObject(kube, volumeSnapshotClassType, { name: spec.volumeSnapshotClassName ?? '' }, signal)) !==
    undefined
  );
}

/** What the snapshotter writes of a snapshot that its driver does not list; there is no other sign of it than these words. */
const isGoneFromStorage = /can ?not find snapshot|code = NotFound/i;

/** Deleted before it has its finalizer and a status, it would go and leave the snapshot. */
async function untilPickedUp(made: VolumeSnapshotContent, context: DeleteContext, signal: AbortSignal): Promise<void> {
  const { kube, clock, random, log } = context;
  const deadline = clock.deadline(limits.pickUpMs);
  let complaint: string | undefined;
  try {
    await waitForObject({
      api: kube,
      type: volumeSnapshotContentType,
      key: keyOf(made),
      clock,
      random,
      log,
      signal: AbortSignal.any([signal, deadline]),
      until: (seen) => {
        complaint = seen?.status?.error?.message ?? complaint;
        if (seen === undefined || isGoneFromStorage.test(complaint ?? '')) return true;
        return seen.metadata.finalizers?.length && seen.status?.snapshotHandle ? true : undefined;
      },
    });
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    const { driver, source } = made.spec;
    const words = complaint === undefined ? '' : `: ${complaint}`;
    throw new AppError(
      'SNAPSHOT_NOT_DELETED',
      `snapshot ${source.snapshotHandle} of CSI driver ${driver} was not deleted: its snapshotter has not taken the request up after ${duration(limits.pickUpMs)}${words}`,
      {
        cause: error,
        retry: 'later',
        nextStep: `Check that the csi-snapshotter of ${driver} runs in this cluster; without the driver, delete the snapshot on the storage.`,
      },
    );
  }
}
