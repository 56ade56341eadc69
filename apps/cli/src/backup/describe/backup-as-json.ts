import type { BackupSpec, DataUpload, PodVolumeBackup } from '@lateen/api-types';
import type { BackupVolumeInfo } from '@lateen/backup-store';
import { backupPhaseOf, causesOf, type InspectedBackup } from '@lateen/operations/backup';
import { boolText, clusterScopedText } from '../../describe/filter-sections.ts';
import { readOr } from '../../describe/results-sections.ts';
import { listText, none } from '../../output/description.ts';
import { orSelectorText, selectorText } from '../../output/selector-text.ts';
import { usesScopedFilters } from './spec-sections.ts';
import { uploadOf } from './volume-sections.ts';

/**
 * The description as JSON: the keys of Velero (cli.md section 9). `causes` and `itemOutcomes` are ours, and so are `skipped` among
 * the volumes and `changedBlocks` of one.
 */
export function backupAsJson(inspected: InspectedBackup, { details }: { details: boolean }): Record<string, unknown> {
  const { backup, results, deleteRequests } = inspected;
  const { metadata, spec, status = {} } = backup;
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const causes = causesOf(inspected);
  return {
    metadata: { name, namespace, labels, annotations },
    phase: backupPhaseOf(backup),
    ...(status.queuePosition ? { queuePosition: status.queuePosition } : {}),
    ...(causes.length === 0 ? {} : { causes }),
    ...(spec.resourcePolicy
      ? { resourcePolicies: { type: spec.resourcePolicy.kind, name: spec.resourcePolicy.name } }
      : {}),
    ...(status.validationErrors?.length ? { validationErrors: status.validationErrors } : {}),
    ...(results && status.warnings ? { warnings: readOr(results, ({ warnings }) => warnings) } : {}),
    ...(results && status.errors ? { errors: readOr(results, ({ errors }) => errors) } : {}),
    spec: specAsJson(spec),
    backupStatus: statusAsJson(inspected, details),
    ...(inspected.outcomes === undefined ? {} : { itemOutcomes: readOr(inspected.outcomes, (read) => read) }),
    ...(deleteRequests.length === 0
      ? {}
      : {
          deleteBackupRequests: deleteRequests.map((request) => ({
            creationTimestamp: request.metadata.creationTimestamp,
            phase: request.status?.phase || 'New',
            errors: request.status?.errors ?? [],
          })),
        }),
  };
}

function specAsJson(spec: BackupSpec): Record<string, unknown> {
  const resources = usesScopedFilters(spec)
    ? {
        includedClusterScoped: listText(spec.includedClusterScopedResources),
        excludedClusterScoped: listText(spec.excludedClusterScopedResources),
        includedNamespaceScoped: listText(spec.includedNamespaceScopedResources, '*'),
        excludedNamespaceScoped: listText(spec.excludedNamespaceScopedResources),
      }
    : {
        included: listText(spec.includedResources, '*'),
        excluded: listText(spec.excludedResources),
        clusterScoped: clusterScopedText(spec.includeClusterResources),
      };
  return {
    namespaces: { included: listText(spec.includedNamespaces, '*'), excluded: listText(spec.excludedNamespaces) },
    resources,
    labelSelector: selectorText(spec.labelSelector),
    orLabelSelectors: orSelectorText(spec.orLabelSelectors),
    storageLocation: spec.storageLocation ?? '',
    veleroNativeSnapshotPVs: boolText(spec.snapshotVolumes),
    fileSystemBackupDefault: boolText(spec.defaultVolumesToFsBackup, 'false'),
    veleroSnapshotMoveData: boolText(spec.snapshotMoveData),
    dataMover: spec.datamover || 'velero',
    ...(spec.backupType === undefined ? {} : { backupType: spec.backupType }),
    TTL: spec.ttl ?? none,
    CSISnapshotTimeout: spec.csiSnapshotTimeout ?? none,
    itemOperationTimeout: spec.itemOperationTimeout ?? none,
    ...(spec.uploaderConfig ? { uploaderConfig: spec.uploaderConfig } : {}),
    hooks: spec.hooks?.resources?.length ? spec.hooks : none,
    orderedResources: spec.orderedResources ?? none,
  };
}

function statusAsJson(inspected: InspectedBackup, details: boolean): Record<string, unknown> {
  const { status = {} } = inspected.backup;
  const { progress, hookStatus } = status;
  return {
    backupFormatVersion: status.formatVersion ?? '',
    started: status.startTimestamp ?? '<n/a>',
    completed: status.completionTimestamp ?? '<n/a>',
    expiration: status.expiration ?? '<n/a>',
    ...(progress
      ? { totalItemsToBeBackedUp: progress.totalItems ?? 0, itemsBackedUp: progress.itemsBackedUp ?? 0 }
      : {}),
    ...(status.backupItemOperationsAttempted ? { backupItemOperations: operationsAsJson(inspected, details) } : {}),
    ...(inspected.resources ? { resourceList: readOr(inspected.resources, (list) => list) } : {}),
    ...(inspected.volumes || inspected.podVolumeBackups.length > 0 ? { backupVolumes: volumesAsJson(inspected) } : {}),
    ...(hookStatus ? { hooksAttempted: hookStatus.hooksAttempted ?? 0, hooksFailed: hookStatus.hooksFailed ?? 0 } : {}),
  };
}

function operationsAsJson({ backup, operations }: InspectedBackup, details: boolean): Record<string, unknown> {
  const { status = {} } = backup;
  return {
    attempted: status.backupItemOperationsAttempted ?? 0,
    completed: status.backupItemOperationsCompleted ?? 0,
    failed: status.backupItemOperationsFailed ?? 0,
    ...(details && operations ? { operations: readOr(operations, (list) => list) } : {}),
  };
}

function volumesAsJson(inspected: InspectedBackup): Record<string, unknown> {
  const { volumes, nativeSnapshots, csiSnapshots, podVolumeBackups, uploads } = inspected;
  const of = (isMeant: (info: BackupVolumeInfo) => boolean) =>
    volumes &&
    readOr(volumes, (all) => all.filter(isMeant).map((info) => ({ ...info, ...changedBlocksOf(info, uploads) })));
  const isMissing = volumes?.kind === 'missing';
  const native = of(({ backupMethod }) => backupMethod === 'NativeSnapshot');
  const csi = of(({ backupMethod }) => backupMethod === 'CSISnapshot');
  const skipped = of((info) => info.skipped);
  return {
    nativeSnapshots: isMissing && nativeSnapshots ? readOr(nativeSnapshots, (all) => all) : native,
    csiSnapshots: isMissing && csiSnapshots ? readOr(csiSnapshots, (all) => all.map(({ metadata }) => metadata)) : csi,
    podVolumeBackups: podVolumeBackups.map(podVolumeAsJson),
    ...(Array.isArray(skipped) && skipped.length > 0 ? { skipped } : {}),
  };
}

/** Our addition, where changed blocks were asked for. */
function changedBlocksOf(info: BackupVolumeInfo, uploads: readonly DataUpload[]) {
  const changedBlocks = uploadOf(info, uploads)?.status?.changedBlocks;
  return changedBlocks === undefined ? {} : { changedBlocks };
}

const podVolumeAsJson = ({ spec, status }: PodVolumeBackup) => ({
  namespace: spec.pod.namespace,
  pod: spec.pod.name,
  volume: spec.volume,
  phase: status?.phase || 'New',
  node: spec.node,
  uploaderType: spec.uploaderType || 'kopia',
  ...(status?.snapshotID ? { snapshotID: status.snapshotID } : {}),
  ...(status?.progress ? { progress: status.progress } : {}),
  ...(status?.incrementalBytes === undefined ? {} : { incrementalBytes: status.incrementalBytes }),
  ...(status?.message ? { message: status.message } : {}),
});
