import { type VolumeSnapshot, volumeSnapshotType } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { keyOf, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { reflect } from '@lateen/kube-runtime';
import type { OperationContext } from '../contract/backup-item-action.ts';
import type { OperationProgress } from '../contract/operation-progress.ts';
import { isOf, selectorOf } from './backup-labels.ts';

/**
 * A driver retries after an error, and clears the error when it succeeds; an error that stays for this long counts as a failure.
 */
const complaintMs = 300_000;

/** `<namespace>/<name>/<time>`, with the time of the snapshot, so that it can be computed from the object. */
export const snapshotOperationId = (snapshot: VolumeSnapshot): string =>
  `${keyText(keyOf(snapshot))}/${snapshot.metadata.creationTimestamp ?? ''}`;

/** The progress of a snapshot that has its handle: the storage may still copy its data. */
export function snapshotOperationProgress(snapshot: VolumeSnapshot, { clock }: { clock: Clock }): OperationProgress {
  const { status, metadata } = snapshot;
  const since = metadata.creationTimestamp === undefined ? {} : { startedAt: metadata.creationTimestamp };
  if (status?.readyToUse === true) return { completed: true, ...since };
  const complaint = plainLine(status?.error?.message ?? '');
  if (complaint === '') return { completed: false, ...since };
  const standsMs = clock.now() - Date.parse(status?.error?.time ?? '');
  return standsMs > complaintMs
    ? { completed: true, error: complaint, ...since }
    : { completed: false, description: complaint, ...since };
}

export async function snapshotProgress(
  operationId: string,
  context: OperationContext,
  signal: AbortSignal,
): Promise<OperationProgress> {
  const [namespace = '', name = ''] = operationId.split('/');
  const key: ObjectKey = { namespace, name };
  const snapshot = await readObject(context.kube, volumeSnapshotType, key, signal);
  if (snapshot === undefined) return { completed: true, error: `VolumeSnapshot ${keyText(key)} does not exist` };
  return snapshotOperationProgress(snapshot, context);
}

/** Watches the backup's VolumeSnapshots; stores none of them. */
export async function watchSnapshots(
  context: OperationContext,
  onChange: (operationId: string, progress: OperationProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { backup, kube, clock, random, log } = context;
  const tell = (snapshot: VolumeSnapshot) => {
    if (isOf(snapshot, backup)) onChange(snapshotOperationId(snapshot), snapshotOperationProgress(snapshot, context));
  };
  await reflect<VolumeSnapshot>(
    { api: kube, type: volumeSnapshotType, labelSelector: selectorOf(backup), clock, random, log },
    {
      replace: (snapshots) => {
        for (const snapshot of snapshots) tell(snapshot);
      },
      apply: ({ type, object }) => {
        if (type !== 'DELETED' || object.status?.readyToUse === true) return tell(object);
        const error = `VolumeSnapshot ${keyText(keyOf(object))} was deleted`;
        if (isOf(object, backup)) onChange(snapshotOperationId(object), { completed: true, error });
      },
    },
    signal,
  );
}
