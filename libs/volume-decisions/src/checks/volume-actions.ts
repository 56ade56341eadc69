import { frontends, type VolumeState } from '@lateen/storage-types';
import type { Refusal } from './check.ts';

/** The facts of a volume that its actions are checked against. */
export interface VolumeFactsForActions {
  readonly name: string;
  readonly state: VolumeState;
  readonly isStandby: boolean;
  readonly restoreRequired: boolean;
  readonly restoreInitiated: boolean;
}

export interface AttachFacts extends VolumeFactsForActions {
  readonly node: string;
  readonly nodeIsReady: boolean;
  /** Replicas that have a place. */
  readonly scheduledReplicas: number;
}

export function checkAttach(seen: AttachFacts): Refusal {
  const { name, node } = seen;
  const why = whyNotAttach(seen);
  return why === undefined ? undefined : `unable to attach volume ${name} to ${node}: ${why}`;
}

function whyNotAttach(seen: AttachFacts): Refusal {
  const { name, node } = seen;
  if (!seen.nodeIsReady) return `node ${node} is not ready, couldn't attach volume ${name} to it`;
  if (seen.scheduledReplicas === 0) return `volume ${name} has no scheduled replicas`;
  if (!seen.restoreRequired) return undefined;
  return seen.restoreInitiated ? `volume ${name} is restoring data` : `volume ${name} is pending restoring`;
}

export const checkDetach = ({ name, isStandby }: VolumeFactsForActions): Refusal =>
  isStandby ? `cannot detach standby volume ${name}` : undefined;

/** Actions that a standby volume does not allow. */
export type StandbyAction =
  | 'create snapshot'
  | 'delete snapshot'
  | 'revert snapshot'
  | 'create backup'
  | 'create PV'
  | 'create PVC';

export const checkNotStandby = ({ name, isStandby }: VolumeFactsForActions, action: StandbyAction): Refusal =>
  isStandby ? `failed to ${action} for standby volume ${name}` : undefined;

/** `lastRestored`: name of the backup that the engine holds completely, '' when there is none. A restore on top of it has to end first. */
export function checkActivate(
  { name, isStandby }: VolumeFactsForActions,
  frontend: string,
  lastRestored: string,
): Refusal {
  if (!isStandby) return `volume ${name} is already in active mode`;
  const known: readonly string[] = frontends;
  if (frontend === '' || !known.includes(frontend)) return `invalid frontend ${frontend}`;
  return lastRestored === '' ? `cannot activate volume ${name}: its first backup is not restored yet` : undefined;
}

/** The action `expand`; a size that is not larger is not an error there, and changes nothing. */
export function checkExpand({ name, state, isStandby }: VolumeFactsForActions): Refusal {
  if (isStandby) return `failed to manually expand standby volume ${name}`;
  if (state === 'attached' || state === 'detached') return undefined;
  return `unable to expand volume ${name}: invalid volume state to expand: ${state}`;
}

/** A change of `spec.size` by any client; bytes. */
export const checkSizeChange = (name: string, from: bigint, to: bigint): Refusal =>
  to < from ? `shrinking volume ${name} size from ${from} to ${to} is not supported` : undefined;

export interface ReplicaFactsForRemoval {
  readonly name: string;
  /** `healthyAt` is set and `failedAt` is not. */
  readonly healthy: boolean;
  /** It had all the data at some time (`healthyAt` or `lastHealthyAt`). */
  readonly everHealthy: boolean;
}

/** The last replica that may hold data is not removed. */
export function checkReplicaRemove(
  volume: string,
  replica: ReplicaFactsForRemoval,
  all: readonly ReplicaFactsForRemoval[],
): Refusal {
  const others = all.filter(({ name, healthy }) => healthy && name !== replica.name);
  if (others.length > 0 || !replica.everHealthy) return undefined;
  return `no other healthy replica available for volume ${volume}, cannot delete replica ${replica.name} since it may still contain data for recovery`;
}

export const checkEngineIsRunning = (volume: string, isRunning: boolean): Refusal =>
  isRunning ? undefined : `cannot get ${volume} volume engine: engine is not running`;

export const checkRevert = (volume: string, frontendDisabled: boolean): Refusal =>
  frontendDisabled ? undefined : `failed to revert snapshot for volume ${volume} with frontend enabled`;

export const checkNotMigrating = (migrationNodeID: string): Refusal =>
  migrationNodeID === '' ? undefined : 'cannot operate during migration';

/** Labels of a snapshot become arguments `key=value`. */
export function checkSnapshotLabels(labels: Readonly<Record<string, string>>): Refusal {
  const wrong = Object.entries(labels)
    .flat()
    .find((text) => text.includes('='));
  return wrong === undefined ? undefined : `invalid snapshot label ${wrong}: it must not contain "="`;
}

export const checkHasNoPersistentVolume = (name: string): Refusal =>
  name === '' ? undefined : `volume already had PV ${name}`;

export const checkHasNoClaim = (name: string): Refusal => (name === '' ? undefined : `volume already had PVC ${name}`);
