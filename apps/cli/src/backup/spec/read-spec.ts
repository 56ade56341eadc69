import { type BackupSpec, isLabelKey, isObjectName } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { validateBackupFilters } from '@lateen/item-filters';
import { parseLocationName } from '@lateen/operations/backup-location';
import { parseObjectName } from '@lateen/operations/noun';
import { snapshotLocationNoun } from '@lateen/operations/snapshot-location';
import { parsePeriod } from '../../parse-period.ts';
import { parseOrSelectors, parseSelector } from '../../parse-selector.ts';
import { badFlag } from '../../refuse-flag.ts';
import { parseOrderedResources } from './ordered-resources.ts';
import type { SpecFlags } from './spec-flags.ts';

/** The spec that the flags stand for: only what is said, but all namespaces when none are. @throws AppError BAD_FLAG, BAD_ARGUMENT */
export function readSpec(flags: SpecFlags): BackupSpec {
  if (flags.selector !== undefined && flags.orSelector !== undefined)
    throw badFlag("either a 'selector' or an 'or-selector' can be specified, but not both");
  const spec = withoutAbsent({
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
    resourcePolicy: given(flags.resourcePoliciesConfigmap, policyReference),
    ...volumesOf(flags),
  });
  checkFilters(spec);
  return spec;
}

/** By the server's own rules and in its words: what it would end in FailedValidation is not created. @throws AppError BAD_FLAG */
function checkFilters(spec: BackupSpec): void {
  const errors = validateBackupFilters(spec);
  const [first] = errors;
  if (first !== undefined) throw badFlag(errors.length === 1 ? first : `[${errors.join(', ')}]`);
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
    uploaderConfig: given(flags.parallelFilesUpload, uploaderConfig),
  };
}

const given = <T, R>(value: T | undefined, read: (value: T) => R): R | undefined =>
  value === undefined ? undefined : read(value);

/** Without what is undefined: a field that is not said has to be absent, not null. */
function withoutAbsent(spec: { [K in keyof BackupSpec]: BackupSpec[K] | undefined }): BackupSpec {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

function policyReference(name: string): BackupSpec['resourcePolicy'] {
  if (!isObjectName(name))
    throw badFlag(`--resource-policies-configmap: ${quoted(name)} is not the name of a ConfigMap`);
  return { kind: 'configmap', name };
}

function groupLabelKey(key: string): string {
  if (!isLabelKey(key)) throw badFlag(`--volume-group-snapshot-label-key: ${quoted(key)} is not a label key`);
  return key;
}

/** 0 leaves it to the server, as in the reference. */
function uploaderConfig(text: string): BackupSpec['uploaderConfig'] | undefined {
  if (/^-\d+$/.test(text)) throw badFlag('parallel-files-upload cannot be negative');
  const count = /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  if (count === undefined) throw badFlag(`--parallel-files-upload ${quoted(text)} is not a number of files`);
  return count === 0 ? undefined : { parallelFilesUpload: count };
}
