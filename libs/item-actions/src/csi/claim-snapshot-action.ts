import {
  annotations,
  type Backup,
  dataUploadType,
  getValidName,
  isUnfitDataMover,
  labels,
  type PersistentVolumeClaim,
  type Unstructured,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { apiTime, keyOf, keyText } from '@lateen/kube';
import { deleteSnapshot, type TakenSnapshot } from '@lateen/volume-snapshots';
import type { ActionContext, VolumeFacts } from '../contract/action-context.ts';
import type { BackupItemAction, BackupItemResult } from '../contract/backup-item-action.ts';
import { withMetadata } from '../item/with-metadata.ts';
import { labelsOf } from './backup-labels.ts';
import { type ClaimStorage, storageOf } from './claim-storage.ts';
import type { CsiRun } from './csi-run.ts';
import { createDataUpload, moverConfigOf, uploadOperationId } from './data-upload-of.ts';
import { type GroupSnapshots, groupSnapshotsOf } from './group/group-snapshots.ts';
import { uploadOperations } from './movement-operations.ts';
import { snapshotOfClaim, volumeOf } from './snapshot-of-claim.ts';
import { snapshotFacts } from './volume-facts.ts';

/**
 * Snapshots the volume of a claim, and passes the snapshot to a data mover when the backup moves data (data-movement.md section
 * 2). After a failure, a timeout or an abort it leaves nothing in the cluster.
 */
export function claimSnapshotAction(runOf: (context: ActionContext) => CsiRun): BackupItemAction {
  const groupsOf = groupSnapshotsOf(runOf);
  return {
    name: 'velero.io/csi-pvc-backupper',
    appliesTo: { includedResources: ['persistentvolumeclaims'] },
    execute: (item, context, signal) =>
      snapshotClaim(item, context, { run: runOf(context), groups: groupsOf(context) }, signal),
    ...uploadOperations,
    endItems: (context, signal) => groupsOf(context).end(signal),
  };
}

interface Parts {
  run: CsiRun;
  groups: GroupSnapshots;
}

/** Items that are read again at the end pass the actions again; they have their snapshots already. */
export const isFinalizing = ({ status }: Backup): boolean => status?.phase?.startsWith('Finalizing') ?? false;

async function snapshotClaim(
  item: Unstructured,
  context: ActionContext,
  { run, groups }: Parts,
  signal: AbortSignal,
): Promise<BackupItemResult> {
  if (isFinalizing(context.backup)) return { item };
  const claim = item as unknown as PersistentVolumeClaim;
  const key = keyText(keyOf(claim));
  const volume = await volumeOf(claim, context, signal);
  const choice = await context.volumes.shouldSnapshot(claim, volume, signal);
  if (!choice.snapshot) return { item };
  if (volume === undefined)
    throw new AppError(
      'CLAIM_NOT_BOUND',
      `PersistentVolumeClaim ${key} is not bound to a volume: there is nothing to snapshot`,
      {
        nextStep: 'Bind it, or skip it with a volume policy.',
      },
    );
  if (volume.spec.csi === undefined)
    return { item: withMetadata(item, { annotations: { [annotations.skippedNoCsiPv]: 'true' } }) };

  const startedAt = apiTime(context.clock.now());
  const dataMoved = context.backup.spec.snapshotMoveData === true;
  const note = (facts: Partial<VolumeFacts>) =>
    context.noteVolume(
      { namespace: claim.metadata.namespace ?? '', name: claim.metadata.name ?? '' },
      { method: 'CSISnapshot', dataMoved, startedAt, ...facts },
    );
  let storage: ClaimStorage;
  let taken: TakenSnapshot;
  try {
    if (dataMoved) {
      requireFitMover(claim, choice.dataMover || context.backup.spec.datamover);
      // An annotation that is wrong is refused before a snapshot is taken.
      moverConfigOf(context.backup);
    }
    storage = await storageOf(claim, run, signal);
    taken = await snapshotOfClaim(storage, choice.snapshotClass, { context, run, groups }, signal);
  } catch (error) {
    if (!signal.aborted) note({ failed: describeError(error) });
    throw error;
  }
  note({ ...snapshotFacts(taken), driver: storage.driver });
  if (dataMoved) run.passingContents.add(taken.content.metadata.name ?? '');
  if (!dataMoved) return withSnapshot(item, context.backup, taken);
  return await withUpload(
    item,
    { storage, taken, operationTimeout: run.timeout, dataMover: choice.dataMover },
    { context, note },
    signal,
  );
}

/** Before the snapshot is taken, which no mover would read. */
function requireFitMover(claim: PersistentVolumeClaim, dataMover: string | undefined): void {
  if (!isUnfitDataMover(dataMover, claim.spec.volumeMode)) return;
  throw new AppError(
    'DATA_MOVER_UNFIT',
    `PersistentVolumeClaim ${keyText(keyOf(claim))} has volumeMode Filesystem, and data mover ${dataMover} moves only volumes of volumeMode Block`,
    { nextStep: 'Use data mover velero-fs for it: a volume policy can set the data mover of single volumes.' },
  );
}

/** The stored claim names its snapshot, for the restore. */
function named(
  item: Unstructured,
  backup: Backup,
  { snapshot }: TakenSnapshot,
  more: Record<string, string> = {},
): Unstructured {
  const name = snapshot.metadata.name ?? '';
  const { [labels.backupName]: backupName = '' } = labelsOf(backup);
  return withMetadata(item, {
    labels: { [labels.volumeSnapshotName]: getValidName(name), [labels.backupName]: backupName },
    annotations: { [annotations.volumeSnapshotName]: name, [annotations.mustIncludeAdditionalItems]: 'true', ...more },
  });
}

function withSnapshot(item: Unstructured, backup: Backup, taken: TakenSnapshot): BackupItemResult {
  const { group, resource } = volumeSnapshotType;
  return { item: named(item, backup, taken), additionalItems: [{ group, resource, ...requiredKey(taken.snapshot) }] };
}

interface Noting {
  context: ActionContext;
  note(facts: Partial<VolumeFacts>): void;
}

/** When no DataUpload can be created, the claim is stored without data, and the backup has an error. */
async function withUpload(
  item: Unstructured,
  order: Parameters<typeof createDataUpload>[0],
  { context, note }: Noting,
  signal: AbortSignal,
): Promise<BackupItemResult> {
  const { backup, kube, log } = context;
  const { storage, taken } = order;
  const facts = { ...snapshotFacts(taken), driver: storage.driver };
  try {
    const upload = await createDataUpload(order, context, signal);
    const operationId = uploadOperationId(backup, storage.claim);
    note({ ...facts, operationId, object: upload });
    const { group, resource } = dataUploadType;
    const uploads = [{ group, resource, ...requiredKey(upload) }];
    const more = { [annotations.dataUploadName]: keyText(keyOf(upload)) };
    return {
      item: named(item, backup, taken, more),
      additionalItems: uploads,
      operationId,
      postOperationItems: uploads,
    };
  } catch (error) {
    const { namespace, name } = item.metadata;
    const fields = { resource: 'persistentvolumeclaims', namespace, name };
    await deleteSnapshot(kube, taken.snapshot).catch((left: unknown) =>
      log.error({ ...fields, err: left }, 'a snapshot is left behind'),
    );
    signal.throwIfAborted();
    note({ ...facts, failed: describeError(error) });
    log.error({ ...fields, err: error }, 'no DataUpload could be made: the claim is stored without its data');
    return { item };
  }
}

function requiredKey({ metadata }: { metadata: Unstructured['metadata'] }): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
