import { annotations, type Backup, type BackupSpec, type BackupStatus, getValidName, labels } from '@lateen/api-types';
import { completeFilters } from '@lateen/item-filters';
import { parseDurationMs } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import type { BackupPatch } from '../api/write-backup.ts';
import type { BackupSettings } from '../backup-settings.ts';

/** Facts that the server writes into the backup. */
export interface ServerFacts {
  settings: BackupSettings;
  location: string;
  snapshotLocations: readonly string[];
  /** Namespaces with the label that excludes them from backups. */
  labelledNamespaces: readonly string[];
  version: ClusterVersion | undefined;
  nowMs: number;
}

/** The version that the API server reports at `/version`. */
export interface ClusterVersion {
  gitVersion: string;
  major: string;
  minor: string;
}

/**
 * What the server writes into a backup before it starts: defaults, and fields that it always overwrites (api.md section 2). The same for
 * valid and invalid backups. Pure.
 */
export function completeBackup(backup: Backup, facts: ServerFacts): Required<BackupPatch> {
  const { settings } = facts;
  const spec = completeSpec(backup.spec, facts);
  const ttlMs = parseDurationMs(spec.ttl ?? '') ?? 0;
  return {
    spec,
    labels: { [labels.storageLocation]: getValidName(facts.location) },
    annotations: {
      ...(facts.version === undefined ? {} : versionNotes(facts.version)),
      [annotations.resourceTimeout]: settings.resourceTimeout,
      ...(settings.globalVolumePolicies === undefined
        ? {}
        : { [annotations.globalBackupVolumePolicyConfigMap]: settings.globalVolumePolicies }),
    },
    status: { version: 1, formatVersion: '1.1.0', expiration: apiTime(facts.nowMs + ttlMs) } satisfies BackupStatus,
  };
}

const versionNotes = ({ gitVersion, major, minor }: ClusterVersion): Record<string, string> => ({
  [annotations.sourceClusterGitVersion]: gitVersion,
  [annotations.sourceClusterMajorVersion]: major,
  [annotations.sourceClusterMinorVersion]: minor,
});

function completeSpec(spec: BackupSpec, facts: ServerFacts): BackupSpec {
  const { settings } = facts;
  const move = spec.snapshotMoveData ?? (settings.defaultSnapshotMoveData ? true : undefined);
  return {
    ...completeFilters(spec, facts.labelledNamespaces),
    storageLocation: facts.location,
    ttl: unlessZero(spec.ttl, settings.defaultTtl),
    csiSnapshotTimeout: unlessZero(spec.csiSnapshotTimeout, '10m0s'),
    itemOperationTimeout: unlessZero(spec.itemOperationTimeout, settings.defaultItemOperationTimeout),
    volumeGroupSnapshotLabelKey: spec.volumeGroupSnapshotLabelKey || labels.volumeGroup,
    defaultVolumesToFsBackup:
      spec.defaultVolumesToFsBackup ?? (spec.defaultVolumesToRestic === true || settings.defaultVolumesToFsBackup),
    ...(move === undefined ? {} : { snapshotMoveData: move }),
    ...(facts.snapshotLocations.length === 0 ? {} : { volumeSnapshotLocations: [...facts.snapshotLocations] }),
  };
}

const unlessZero = (duration: string | undefined, otherwise: string): string =>
  !duration || parseDurationMs(duration) === 0 ? otherwise : duration;
