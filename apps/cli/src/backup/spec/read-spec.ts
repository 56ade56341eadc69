import { type BackupSpec, type BackupType, backupTypes, isLabelKey, readBackupType } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { validateBackupFilters } from '@lateen/item-filters';
import { parseLocationName } from '@lateen/operations/backup-location';
import { parseObjectName } from '@lateen/operations/noun';
import { snapshotLocationNoun } from '@lateen/operations/snapshot-location';
import { parsePeriod } from '../../parse-period.ts';
import { parseOrSelectors, parseSelector } from '../../parse-selector.ts';
import { checkFilters, given, parseConfigMapReference, parseFileCount, withoutAbsent } from '../../parse-spec.ts';
import { badFlag } from '../../refuse-flag.ts';
import { parseOrderedResources } from './ordered-resources.ts';
import type { SpecFlags } from './spec-flags.ts';

/**
 * The spec for the flags: only fields that are given, and all namespaces when none is given. @throws AppError BAD_FLAG,
 * BAD_ARGUMENT
 */
export function readSpec(flags: SpecFlags): BackupSpec {
  if (flags.selector !== undefined && flags.orSelector !== undefined)
    throw badFlag("either a 'selector' or an 'or-selector' can be specified, but not both");
  const spec = withoutAbsent<BackupSpec>({
    includedNamespaces: flags.includeNamespaces ?? ['*'],
    excludedNamespaces: flags.excludeNamespaces,
    includedResources: flags.includeResources,
    excludedResources: flags.excludeResources,
    includedClusterScopedResources: flags.includeClusterScopedResources,
    excludedClusterScopedResources: flags.excludeClusterScopedResources,
    includedNamespaceScopedResources: flags.includeNamespaceScopedResources,
    excludedNamespaceScopedResources: flags.excludeNamespaceScopedResources,
    includeClusterResources: flags.includeClusterResources,
    labelSelector: given(flags.selector, (text) => parseSelector('--selector', text)),
    orLabelSelectors: given(flags.orSelector, (text) => parseOrSelectors('--or-selector', text)),
    ttl: given(flags.ttl, (text) => parsePeriod('--ttl', text)),
    storageLocation: given(flags.storageLocation, parseLocationName),
    orderedResources: given(flags.orderedResources, parseOrderedResources),
    itemOperationTimeout: given(flags.itemOperationTimeout, (text) => parsePeriod('--item-operation-timeout', text)),
    resourcePolicy: given(flags.resourcePoliciesConfigmap, (name) =>
      parseConfigMapReference('--resource-policies-configmap', name),
    ),
    ...volumesOf(flags),
  });
  checkFilters(validateBackupFilters(spec));
  return spec;
}

function volumesOf(flags: SpecFlags) {
  return {
    snapshotVolumes: flags.snapshotVolumes,
    snapshotMoveData: flags.snapshotMoveData,
    defaultVolumesToFsBackup: flags.defaultVolumesToFsBackup,
    volumeSnapshotLocations: given(flags.volumeSnapshotLocations, (names) =>
      names.map((name) => parseObjectName(snapshotLocationNoun, name)),
    ),
    csiSnapshotTimeout: given(flags.csiSnapshotTimeout, (text) => parsePeriod('--csi-snapshot-timeout', text)),
    volumeGroupSnapshotLabelKey: given(flags.volumeGroupSnapshotLabelKey, groupLabelKey),
    datamover: flags.dataMover === '' ? undefined : flags.dataMover,
    backupType: given(flags.backupType, backupType),
    uploaderConfig: given(flags.parallelFilesUpload, uploaderConfig),
  };
}

function backupType(text: string): BackupType {
  const type = readBackupType(text);
  if (type === undefined) throw badFlag(`--backup-type: ${quoted(text)} is neither ${backupTypes.join(' nor ')}`);
  return type;
}

function groupLabelKey(key: string): string {
  if (!isLabelKey(key)) throw badFlag(`--volume-group-snapshot-label-key: ${quoted(key)} is not a label key`);
  return key;
}

function uploaderConfig(text: string): BackupSpec['uploaderConfig'] | undefined {
  const count = parseFileCount('parallel-files-upload', text);
  return count === undefined ? undefined : { parallelFilesUpload: count };
}
