import { type Engine, generationOf, type Replica, storageAnnotations } from '@lateen/storage-types';
import { evictedReplicas } from '@lateen/volume-decisions';
import { nameOf, type VolumeSight } from './volume-sight.ts';

/** The state of one replica, as it is shown to users. */
export interface ReplicaStanding {
  readonly name: string;
  readonly node: string;
  readonly disk: string;
  readonly state: 'in use' | 'rebuilding' | 'failed' | 'deleting' | 'no place' | 'ready' | 'waiting';
  /** The reason or the time of the state; empty when there is neither. */
  readonly cause: string;
  /** RFC 3339; empty when it has not failed. */
  readonly failedAt: string;
  /** The progress of a running rebuild. */
  readonly progressPercent?: number;
  readonly promised: number;
  /** The number of the engine start during which the replica's process was killed; unflushed writes may be missing. */
  readonly killedIn?: number;
  readonly leaves: boolean;
  readonly rebuildRetries: number;
}

export function replicaStanding(sight: VolumeSight, replica: Replica): ReplicaStanding {
  const { spec, metadata } = replica;
  const notes = metadata.annotations ?? {};
  const killed = notes[storageAnnotations.killedIn];
  const percent = progressOf(sight.engine, replica);
  return {
    name: nameOf(replica),
    node: spec.nodeID ?? '',
    disk: spec.diskPath ?? '',
    ...stateOf(sight, replica),
    failedAt: spec.failedAt ?? '',
    ...(percent === undefined ? {} : { progressPercent: percent }),
    promised: Number(notes[storageAnnotations.promised] ?? 0),
    ...(killed === undefined ? {} : { killedIn: Number(killed) }),
    leaves: leaves(sight, replica),
    rebuildRetries: spec.rebuildRetryCount ?? 0,
  };
}

function stateOf({ engine, volume }: VolumeSight, replica: Replica): Pick<ReplicaStanding, 'state' | 'cause'> {
  const { spec, metadata, status } = replica;
  const mode = engine?.status?.replicaModeMap?.[nameOf(replica)];
  const cause = metadata.annotations?.[storageAnnotations.failureCause];
  if (metadata.deletionTimestamp !== undefined) return { state: 'deleting', cause: 'it is being deleted' };
  // A failed replica that is being rebuilt keeps its time of failure until it has all the data.
  if (mode === 'WO') return { state: 'rebuilding', cause: rebuildError(engine, replica) };
  if ((spec.failedAt ?? '') !== '') return { state: 'failed', cause: cause ?? 'no cause is recorded' };
  if (mode === 'ERR')
    return { state: 'failed', cause: cause ?? 'the engine has recorded its failure, the replica has not got it yet' };
  if (mode === 'RW' && engine?.status?.currentState === 'running') return { state: 'in use', cause: '' };
  if ((spec.nodeID ?? '') === '') return { state: 'no place', cause: scheduledRefusal(volume.status?.conditions) };
  if (status?.currentState === 'error') return { state: 'waiting', cause: conditionText(replica) };
  if ((spec.healthyAt ?? '') === '') return { state: 'waiting', cause: 'it has no data yet' };
  return { state: 'ready', cause: '' };
}

function scheduledRefusal(
  conditions: readonly { type?: string; status?: string; message?: string }[] | null = [],
): string {
  const scheduled = conditions?.find(({ type }) => type === 'Scheduled');
  return scheduled?.status === 'False' ? (scheduled.message ?? '') : '';
}

const conditionText = ({ status }: Replica): string =>
  status?.conditions?.find(({ status: holds, message = '' }) => holds === 'False' && message !== '')?.message ??
  'its process could not be started';

/** The engine reports rebuilds by the replica's address, or by its name while it has no address. */
function rebuildOf(engine: Engine | undefined, replica: Replica) {
  const { replicaAddressMap = {} } = engine?.spec ?? {};
  const rebuilds = engine?.status?.rebuildStatus ?? {};
  const address = replicaAddressMap[nameOf(replica)] ?? `${replica.status?.storageIP}:${replica.status?.port}`;
  return rebuilds?.[address] ?? rebuilds?.[nameOf(replica)];
}

function progressOf(engine: Engine | undefined, replica: Replica): number | undefined {
  const rebuild = rebuildOf(engine, replica);
  return rebuild?.isRebuilding === true ? (rebuild.progress ?? 0) : undefined;
}

const rebuildError = (engine: Engine | undefined, replica: Replica): string => rebuildOf(engine, replica)?.error ?? '';

/** Whether eviction is requested for the replica, its disk or its node, or its node is being drained. */
function leaves(
  { surroundings: { cluster, settings }, volume, engine, replicas }: VolumeSight,
  replica: Replica,
): boolean {
  const ofEngine = engine === undefined ? {} : { engine };
  const seen = { volume, ...ofEngine, replicas, cluster, settings, downNodes: new Set<string>() };
  return evictedReplicas(seen).has(nameOf(replica));
}

/** The number of the engine start that counts. */
export const startOf = (engine: Engine | undefined): number => (engine === undefined ? 0 : (generationOf(engine) ?? 0));
