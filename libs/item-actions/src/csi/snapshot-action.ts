import {
  annotations,
  labels,
  type Unstructured,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotClassType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { keyOf, readObject } from '@lateen/kube';
import { handleOf } from '@lateen/volume-snapshots';
import type { ActionContext } from '../contract/action-context.ts';
import type { BackupItemAction, BackupItemResult } from '../contract/backup-item-action.ts';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import { withMetadata } from '../item/with-metadata.ts';
import { isOf, labelsOf } from './backup-labels.ts';
import { isFinalizing } from './claim-snapshot-action.ts';
import { snapshotOperationId, snapshotProgress, watchSnapshots } from './snapshot-operations.ts';
import { snapshotFacts } from './volume-facts.ts';

/**
 * Stores with a VolumeSnapshot what a restore needs to find the snapshot on the storage, and follows a snapshot that was taken
 * for this backup until it is ready. Snapshots that exist only during a data movement are left out.
 */
export const snapshotAction: BackupItemAction = {
  name: 'velero.io/csi-volumesnapshot-backupper',
  appliesTo: { includedResources: ['volumesnapshots.snapshot.storage.k8s.io'] },
  execute: async (item, context, signal) => {
    const snapshot = item as unknown as VolumeSnapshot;
    if (isPassing(snapshot, context)) return skipped(item);
    const name = snapshot.status?.boundVolumeSnapshotContentName ?? '';
    const content = await readObject(context.kube, volumeSnapshotContentType, { name }, signal);
    return content === undefined ? { item } : await withContent(item, { snapshot, content }, context, signal);
  },
  progress: snapshotProgress,
  watchOperations: watchSnapshots,
};

/** The item stays out of the archive. */
export const skipped = (item: Unstructured): BackupItemResult => ({
  item: withMetadata(item, { annotations: { [annotations.skipFromBackup]: 'true' } }),
});

/** A snapshot that exists only until its data is moved: by this backup, by a movement, or by another running backup. */
export function isPassing(
  object: VolumeSnapshot | VolumeSnapshotContent,
  { backup }: Pick<ActionContext, 'backup'>,
): boolean {
  const own = object.metadata.labels ?? {};
  if (own[labels.exposedFor] !== undefined) return true;
  if (own[labels.backupUid] === undefined || own[labels.restoreName] !== undefined) return false;
  return !isOf(object, backup) || backup.spec.snapshotMoveData === true;
}

interface Pair {
  snapshot: VolumeSnapshot;
  content: VolumeSnapshotContent;
}

async function withContent(
  item: Unstructured,
  pair: Pair,
  context: ActionContext,
  signal: AbortSignal,
): Promise<BackupItemResult> {
  const { snapshot, content } = pair;
  const { backup } = context;
  const contents = { group: volumeSnapshotContentType.group, resource: volumeSnapshotContentType.resource };
  const ofContent: ItemIdentifier = { ...contents, name: content.metadata.name ?? '' };
  const className = content.spec.volumeSnapshotClassName ?? snapshot.spec.volumeSnapshotClassName ?? '';
  const { group, resource } = volumeSnapshotClassType;
  const additionalItems = [ofContent, ...(className === '' ? [] : [{ group, resource, name: className }])];
  const notes = notesOf(pair);
  if (!isOf(snapshot, backup)) return { item: withMetadata(item, { annotations: notes }), additionalItems };
  const must = { [annotations.mustIncludeAdditionalItems]: 'true' };
  const stored = withMetadata(item, { annotations: { ...notes, ...must } });
  if (isFinalizing(backup)) return { item: stored, additionalItems };

  await keepNotes(pair, notes, context, signal);
  const operationId = snapshotOperationId(snapshot);
  noteOperation(pair, operationId, context);
  const ofSnapshot = { group: volumeSnapshotType.group, resource: volumeSnapshotType.resource };
  const key = { namespace: snapshot.metadata.namespace ?? '', name: snapshot.metadata.name ?? '' };
  return { item: stored, additionalItems, operationId, postOperationItems: [{ ...ofSnapshot, ...key }, ofContent] };
}

/** The annotations that a restore reads (api.md section 15). */
function notesOf({ snapshot, content }: Pair): Record<string, string> {
  const handle = handleOf(content);
  const size = snapshot.status?.restoreSize;
  return {
    ...(handle === undefined ? {} : { [annotations.csiVolumeSnapshotHandle]: handle }),
    ...(size === undefined ? {} : { [annotations.csiVolumeSnapshotRestoreSize]: size }),
    [annotations.csiDriverName]: content.spec.driver,
    [annotations.csiContentDeletionPolicy]: content.spec.deletionPolicy,
  };
}

/**
 * Writes the annotations to the objects too: they are read again at the end, and the deletion of the backup finds the content by
 * its label.
 */
async function keepNotes(
  { snapshot, content }: Pair,
  notes: Record<string, string>,
  { kube, backup }: ActionContext,
  signal: AbortSignal,
): Promise<void> {
  const ofSnapshot = { metadata: { annotations: notes } };
  const ofContent = { metadata: { labels: labelsOf(backup) } };
  await kube.patch(volumeSnapshotType, keyOf(snapshot), { type: 'merge', body: ofSnapshot }, { signal });
  await kube.patch(volumeSnapshotContentType, keyOf(content), { type: 'merge', body: ofContent }, { signal });
}

function noteOperation(pair: Pair, operationId: string, { noteVolume, backup }: ActionContext): void {
  const { metadata, spec } = pair.snapshot;
  const claim = spec.source.persistentVolumeClaimName ?? metadata.annotations?.[annotations.pvcName];
  if (claim === undefined || metadata.namespace === undefined) return;
  noteVolume(
    { namespace: metadata.namespace, name: claim },
    {
      method: 'CSISnapshot',
      dataMoved: backup.spec.snapshotMoveData === true,
      ...snapshotFacts(pair),
      operationId,
      ...(metadata.creationTimestamp === undefined ? {} : { startedAt: metadata.creationTimestamp }),
    },
  );
}
