import { createHash } from 'node:crypto';
import {
  type DataDownload,
  type DataUpload,
  getValidName,
  type LabelSelector,
  labels,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  type Unstructured,
  type VolumeSnapshot,
  volumeSnapshotType,
} from '@lateen/api-types';
import { type KubeApi, type ObjectKey, readObject } from '@lateen/kube';
import type {
  RestoreActionContext,
  RestoreItemAction,
  RestoreItemInput,
  RestoreItemResult,
} from '../contract/restore-item-action.ts';
import { downloadOperations } from '../csi/movement-operations.ts';
import { snapshotFacts, snapshotOf, sourceSpec } from './claim-snapshot.ts';
import { downloadOperationId } from './data-download-of.ts';
import { type DataDownloads, dataDownloads } from './data-downloads.ts';
import { existingPolicy, tellLeftAlone } from './existing/existing-policy.ts';
import { fitVolume, restoreInPlace } from './existing/restore-in-place.ts';
import { withNeeded } from './must-include.ts';
import { resultOf, uploadOf } from './upload-result.ts';

/**
 * Restores the data of a claim: by a DataDownload when the data was moved, otherwise from the snapshot (backup-and-restore.md
 * section 12). An existing claim keeps its data. A repeated restore finds the DataDownload of its earlier attempt.
 */
export function claimDataAction(): RestoreItemAction {
  const downloads = dataDownloads();
  return {
    name: 'velero.io/csi-pvc-restorer',
    appliesTo: { includedResources: ['persistentvolumeclaims'] },
    execute: (input, context, signal) => restoreData(input, { context, downloads }, signal),
    ...downloadOperations,
    endItems: async (context, signal) => {
      if (!context.dryRun) await downloads.cancelThoseWithoutClaim(context, signal);
    },
  };
}

interface Parts {
  context: RestoreActionContext;
  downloads: DataDownloads;
}

async function restoreData(
  { item, itemFromBackup }: RestoreItemInput,
  parts: Parts,
  signal: AbortSignal,
): Promise<RestoreItemResult> {
  const { context } = parts;
  const claim = item as unknown as PersistentVolumeClaim;
  const stored = itemFromBackup as unknown as PersistentVolumeClaim;
  if (context.restore.spec.restorePVs === false) return { updatedItem: withSpec(claim, {}) };
  const namespace = context.mappedNamespace(stored.metadata.namespace ?? '');
  const work = { claim, stored, target: { namespace, name: claim.metadata.name ?? '' } };
  const upload = await uploadOf(stored, context, signal);
  if (upload !== undefined) return await download({ ...work, upload }, parts, signal);
  const snapshot = await snapshotOf(stored, context, signal);
  return snapshot === undefined ? { updatedItem: item } : await fromSnapshot({ ...work, snapshot }, context, signal);
}

interface Work {
  claim: PersistentVolumeClaim;
  stored: PersistentVolumeClaim;
  target: { namespace: string; name: string };
}

async function fromSnapshot(
  { claim, target, snapshot }: Work & { snapshot: VolumeSnapshot },
  context: RestoreActionContext,
  signal: AbortSignal,
): Promise<RestoreItemResult> {
  const { restore, kube } = context;
  const present = await claimThere(kube, target, signal);
  const spec = sourceSpec(claim, snapshot, restore);
  const isOwn = present?.spec.dataSource?.name === spec.dataSource?.name;
  if (present !== undefined && !isOwn) return leftAlone(claim, target, context);
  context.noteVolume(target, snapshotFacts(snapshot, restore));
  const { group, resource } = volumeSnapshotType;
  const { namespace = '', name = '' } = snapshot.metadata;
  return withNeeded(withSpec(claim, spec), [{ group, resource, namespace, name }]);
}

async function download(
  { claim, stored, target, upload }: Work & { upload: DataUpload },
  { context, downloads }: Parts,
  signal: AbortSignal,
): Promise<RestoreItemResult> {
  const { restore, kube } = context;
  const operationId = downloadOperationId(restore, stored);
  const present = await claimThere(kube, target, signal);
  const options = { isTargetThere: present !== undefined };
  const made = context.dryRun ? undefined : await downloads.find(operationId, options, context, signal);
  const result = resultOf(upload);
  const note = (object?: DataDownload) =>
    context.noteVolume(target, {
      method: 'CSISnapshot',
      dataMoved: true,
      snapshotHandle: result.snapshotID,
      operationId,
      dataMover: result.datamover ?? 'velero',
      uploaderType: 'kopia',
      ...(result.snapshotSize === undefined ? {} : { sizeBytes: result.snapshotSize }),
      ...(upload.spec.csiSnapshot?.driver === undefined ? {} : { driver: upload.spec.csiSnapshot.driver }),
      ...(object === undefined ? {} : { object }),
    });
  const isInPlace = made === undefined || (made.spec.restoreType ?? '') !== '';
  if (present !== undefined && isInPlace) {
    const policy = existingPolicy(restore, present);
    if (policy === 'none') return leftAlone(claim, target, context);
    const work = { claim: present, stored, target, result, policy, made };
    if (context.dryRun) await fitVolume(work, context, signal);
    note(context.dryRun ? undefined : await restoreInPlace(work, { context, downloads }, signal));
    return { updatedItem: asThere(claim), ...(context.dryRun ? {} : { operationId }) };
  }
  const updatedItem = withSpec(claim, { selector: onlyFor(claim, target, operationId) });
  note(context.dryRun ? undefined : (made ?? (await downloads.create({ stored, target, result }, context, signal))));
  return { updatedItem, ...(context.dryRun ? {} : { operationId }) };
}

/**
 * A claim that is being deleted counts as missing: it is gone before the new claim is created, and a plan describes that time.
 */
async function claimThere(
  kube: KubeApi,
  target: Work['target'],
  signal: AbortSignal,
): Promise<PersistentVolumeClaim | undefined> {
  const present = await readObject(kube, persistentVolumeClaimType, target, signal);
  return present?.metadata.deletionTimestamp === undefined ? present : undefined;
}

function leftAlone(claim: PersistentVolumeClaim, target: ObjectKey, { log }: RestoreActionContext): RestoreItemResult {
  tellLeftAlone(target, log);
  return { updatedItem: asThere(claim) };
}

/** The claim with a new volume: without its old volume and data source. */
const withSpec = (claim: PersistentVolumeClaim, more: Partial<PersistentVolumeClaim['spec']>): Unstructured => {
  const { volumeName: _, dataSource: __, dataSourceRef: ___, ...spec } = claim.spec;
  return asItem({ ...claim, spec: { ...spec, ...more } });
};

/** Excludes every volume but the one that is restored for the claim. The same at each attempt. */
function onlyFor(
  { spec: { selector } }: PersistentVolumeClaim,
  { namespace, name }: { namespace: string; name: string },
  operationId: string,
): LabelSelector {
  const suffix = createHash('sha256').update(operationId).digest('hex').slice(0, suffixLength);
  const own = { [labels.dynamicPvRestore]: getValidName(`${namespace}.${name}.${suffix}`) };
  return { ...selector, matchLabels: { ...selector?.matchLabels, ...own } };
}

const suffixLength = 5;

/** The label that the backup has added to the stored claim does not count as a difference. */
const asThere = ({ metadata, ...claim }: PersistentVolumeClaim): Unstructured => {
  const { [labels.volumeSnapshotName]: _, ...kept } = metadata.labels ?? {};
  return asItem({ ...claim, metadata: { ...metadata, labels: kept } });
};

const asItem = (claim: PersistentVolumeClaim): Unstructured => claim as unknown as Unstructured;
