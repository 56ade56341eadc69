import {
  type Backup,
  type BackupStorageLocation,
  backupStorageLocationType,
  isBuiltInDataMover,
  labels,
  namespaceType,
  type VolumeSnapshotLocation,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { runningNodeAgents } from '@lateen/item-actions';
import { policyConfigMapOf, type ResourcePolicies, validateBackupFilters } from '@lateen/item-filters';
import { isNotFound, listAll } from '@lateen/kube';
import { type PoliciesReading, readPolicies } from '@lateen/run';
import type { BackupPatch } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import { chooseLocation, type LocationChoice, type LocationReading, locationErrors } from './choose-location.ts';
import { chooseSnapshotLocations } from './choose-snapshot-locations.ts';
import { completeBackup } from './complete-backup.ts';

/** The inputs for running a valid backup, in addition to the Backup itself. */
export interface BackupPlan {
  location: BackupStorageLocation;
  policies: ResourcePolicies | undefined;
  /** The locations of native snapshots, one for each provider, in the order in which they are tried for a volume. */
  snapshotLocations: readonly VolumeSnapshotLocation[];
}

/** The result of checking a backup before it starts. */
export type Gathered =
  /** Texts for status.validationErrors. */
  { patch: BackupPatch; errors: string[] } | { patch: BackupPatch; plan: BackupPlan };

type GatherPorts = Pick<BackupPorts, 'log' | 'kube' | 'namespace' | 'settings' | 'clock' | 'clusterVersion'>;

/** Reads the backup's dependencies, completes and checks it (backup-and-restore.md section 1). @throws KUBE_… for temporary failures */
export async function gatherPlan(ports: GatherPorts, backup: Backup, signal: AbortSignal): Promise<Gathered> {
  const { kube, namespace, settings, clock } = ports;
  const { spec } = backup;
  const [locations, snapshotLocations, excluded, own, global, agents, version] = await Promise.all([
    listAll(kube, backupStorageLocationType, { namespace, signal }),
    listAll(kube, volumeSnapshotLocationType, { namespace, signal }),
    listAll(kube, namespaceType, { labelSelector: `${labels.excludeFromBackup}=true`, signal }),
    readPolicies(ports, policyConfigMapOf(spec), signal),
    readPolicies(ports, settings.globalVolumePolicies, signal),
    needsAgents(backup, settings.defaultSnapshotMoveData) ? hasNodeAgent(ports, signal) : true,
    versionIfKnown(ports, signal),
  ]);
  const choice = chooseLocation(spec.storageLocation, locations.items, settings.defaultLocation);
  const reading = await readLocation(ports, choice, locations.items, signal);
  const native = chooseSnapshotLocations(spec, snapshotLocations.items, settings.defaultSnapshotLocations);
  const errors = [
    ...locationErrors(choice, reading),
    ...native.errors,
    ...[own, global].flatMap((each) => ('error' in each ? [each.error] : [])),
    ...validateBackupFilters(spec, 'policies' in own ? own.policies : undefined),
    ...(agents ? [] : [noNodeAgent(namespace)]),
  ];
  const patch = completeBackup(backup, {
    settings,
    location: choice.name,
    snapshotLocations: native.names,
    labelledNamespaces: excluded.items.map(({ metadata }) => metadata.name ?? ''),
    version,
    nowMs: clock.now(),
  });
  if (errors.length > 0 || !('location' in reading)) return { patch, errors };
  const byName = new Map(snapshotLocations.items.map((each) => [each.metadata.name, each]));
  const chosen = native.names.flatMap((name) => byName.get(name) ?? []);
  return {
    patch,
    plan: { location: reading.location, policies: joined(own, global), snapshotLocations: chosen },
  };
}

/** The version is only information for readers of the backup: no backup waits for it. */
async function versionIfKnown({ clusterVersion, log }: GatherPorts, signal: AbortSignal) {
  try {
    return await clusterVersion(signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'the API server does not say its version');
    return undefined;
  }
}

function joined(own: PoliciesReading, global: PoliciesReading): ResourcePolicies | undefined {
  const mine = 'policies' in own ? own.policies : undefined;
  const everybodys = 'policies' in global ? global.policies : undefined;
  if (everybodys === undefined) return mine;
  // Only the volume policies of the server's ConfigMap apply, after the backup's own.
  const rest = mine ?? { namespacedFilterPolicies: [], warnings: [], volumePolicies: [] };
  return {
    ...rest,
    volumePolicies: [...rest.volumePolicies, ...everybodys.volumePolicies],
    warnings: [...rest.warnings, ...everybodys.warnings],
  };
}

async function readLocation(
  { kube, namespace }: GatherPorts,
  { name }: LocationChoice,
  locations: readonly BackupStorageLocation[],
  signal: AbortSignal,
): Promise<LocationReading> {
  const location = locations.find(({ metadata }) => metadata.name === name);
  if (location !== undefined) return { location };
  try {
    return { location: await kube.get(backupStorageLocationType, { namespace, name }, { signal }) };
  } catch (error) {
    signal.throwIfAborted();
    return isNotFound(error) ? { missing: error } : { error };
  }
}

function needsAgents({ spec }: Backup, movesByDefault: boolean): boolean {
  const moves = spec.snapshotMoveData ?? movesByDefault;
  return moves && spec.snapshotVolumes !== false && isBuiltInDataMover(spec.datamover);
}

const hasNodeAgent = async ({ kube, namespace }: GatherPorts, signal: AbortSignal): Promise<boolean> =>
  (await runningNodeAgents(kube, namespace, signal)).length > 0;

const noNodeAgent = (namespace: string): string =>
  `snapshot data is to be moved by the built-in data mover, but no node-agent pod is running in namespace ${namespace}`;
