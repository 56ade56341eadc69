import { type Engine, type Replica, storageAnnotations } from '@lateen/storage-types';
import type { PlacedReplica } from '../scheduler/place-request.ts';
import { type FailedReplica, mayReturn, type ReuseSeen } from '../scheduler/reuse.ts';
import { wholeSet } from './fold-failures.ts';
import { byName, everHealthy, isFailed, modeOf, nameOf } from './replica-facts.ts';
import type { VolumeSeen } from './volume-seen.ts';

/** Set from the start of a new generation until the write that lets its engine start. */
export const startingOf = (engine: Engine | undefined): string | undefined =>
  engine?.metadata.annotations?.[storageAnnotations.starting];

/** The engine of the present generation serves. */
export const isServing = (engine: Engine | undefined): engine is Engine =>
  engine?.status?.currentState === 'running' && startingOf(engine) === undefined;

export const isBeingDeleted = ({ metadata }: Replica | Engine): boolean => metadata.deletionTimestamp !== undefined;

/** Its state is unknown, or it is permanently gone. */
export const isLost = ({ cluster, downNodes }: Pick<VolumeSeen, 'cluster' | 'downNodes'>, node: string): boolean =>
  node !== '' && (downNodes.has(node) || !cluster.nodes.has(node));

/** `node-1 is down`, for people. */
export const lostText = ({ cluster }: VolumeSeen, node: string): string =>
  cluster.nodes.has(node) ? `node ${node} is down` : `node ${node} is not part of the cluster any more`;

export const wantedReplicas = ({ volume }: Pick<VolumeSeen, 'volume'>): number =>
  Math.max(1, volume.spec.numberOfReplicas ?? 1);

/** Nothing was ever written: its engine was never allowed to start. */
export const isFresh = ({ engine, replicas }: Pick<VolumeSeen, 'engine' | 'replicas'>): boolean =>
  Object.keys(engine?.spec.replicaAddressMap ?? {}).length === 0 && !replicas.some(everHealthy);

export const promisedGeneration = ({ metadata }: Replica): number =>
  Number(metadata.annotations?.[storageAnnotations.promised] ?? 0);

/** Where a replica serves the generation; undefined while it does not. */
export function addressOf({ status, ...replica }: Replica, generation: number): string | undefined {
  const serves = status?.currentState === 'running' && (status.port ?? 0) > 0;
  if (!serves || promisedGeneration(replica) !== generation) return undefined;
  return `${status.storageIP || status.ip}:${status.port}`;
}

/** Replicas that an engine may start with: they have every acknowledged write, or nothing was ever written. */
export function startCandidates(seen: Pick<VolumeSeen, 'engine' | 'replicas'>): Replica[] {
  const whole = wholeSet(seen.engine);
  const fresh = isFresh(seen);
  const hasData = (replica: Replica) => (replica.spec.healthyAt ?? '') !== '' || whole.has(nameOf(replica));
  const able = seen.replicas
    .filter((replica) => !isFailed(replica) && (replica.spec.nodeID ?? '') !== '')
    .filter((replica) => fresh || hasData(replica))
    .sort(byName);
  // A replica that is being deleted is better than none: its data is present until another replica has all of it.
  const staying = able.filter((replica) => !isBeingDeleted(replica));
  return staying.length > 0 ? staying : able.filter((replica) => whole.has(nameOf(replica)));
}

/** `spec.replicaAddressMap` without the replicas that lack writes. */
export function wholeAddresses(engine: Engine): Record<string, string> {
  const whole = wholeSet(engine);
  return Object.fromEntries(Object.entries(engine.spec.replicaAddressMap ?? {}).filter(([name]) => whole.has(name)));
}

/** Its rebuild was requested and has not ended. */
export const isRebuilding = ({ engine }: Pick<VolumeSeen, 'engine'>, replica: Replica): boolean =>
  replica.spec.desireState === 'running' &&
  (replica.spec.healthyAt ?? '') === '' &&
  !wholeSet(engine).has(nameOf(replica));

/** Names of replicas that another replica is to replace, as long as that one has all the data or can still get it. */
export const replacedReplicas = (seen: Pick<VolumeSeen, 'engine' | 'replicas'>): ReadonlySet<string> =>
  new Set(
    seen.replicas
      .filter((replica) => !isBeingDeleted(replica) && (!isFailed(replica) || isRebuilding(seen, replica)))
      .flatMap(({ metadata }) => metadata.annotations?.[storageAnnotations.replaces] ?? []),
  );

/** When a replica that was to replace another one failed without ever having the data; undefined for all others. */
export function movedInVainMs(replica: Replica): number | undefined {
  const { failedAt, lastFailedAt } = replica.spec;
  return isMove(replica) && (failedAt ?? '') !== '' ? timeOf(lastFailedAt || failedAt) : undefined;
}

/** It is to replace another replica, and has never had the data. */
export const isMove = (replica: Replica): boolean =>
  replica.metadata.annotations?.[storageAnnotations.replaces] !== undefined &&
  !isBeingDeleted(replica) &&
  !everHealthy(replica);

/** After this time a replica that could not be built in a better place is abandoned, and its node may be tried again. */
export const moveRetryMs = 600_000;

/** The engine reads and writes it. */
export const isInUse = ({ engine }: VolumeSeen, replica: Replica): boolean =>
  isServing(engine) && !isFailed(replica) && modeOf(engine, nameOf(replica)) === 'RW';

/** Whether the volume could continue with this replica alone. */
export function isSafeAlone(seen: VolumeSeen, replica: Replica): boolean {
  if (isFailed(replica) || isBeingDeleted(replica) || (replica.spec.healthyAt ?? '') === '') return false;
  return isServing(seen.engine) ? isInUse(seen, replica) : !isLost(seen, replica.spec.nodeID ?? '');
}

const timeOf = (text: string | undefined): number => Date.parse(text ?? '') || 0;

export const failedReplicas = ({ replicas, ...seen }: Pick<VolumeSeen, 'replicas' | 'engine'>): FailedReplica[] =>
  replicas
    .filter((replica) => isFailed(replica) && !isBeingDeleted(replica))
    .filter((replica) => !isRebuilding(seen, replica))
    .map((replica) => ({
      name: nameOf(replica),
      node: replica.spec.nodeID ?? '',
      diskID: replica.spec.diskID ?? '',
      image: replica.spec.image ?? '',
      failedAtMs: timeOf(replica.spec.lastFailedAt || replica.spec.failedAt),
      rebuildRetryCount: replica.spec.rebuildRetryCount ?? 0,
      evictionRequested: replica.spec.evictionRequested ?? false,
    }));

export const reuseSeenOf = (
  seen: Pick<VolumeSeen, 'volume' | 'engine' | 'replicas' | 'cluster' | 'settings'>,
  nowMs: number,
): ReuseSeen => ({
  failed: failedReplicas(seen),
  volume: { image: seen.volume.spec.image ?? '' },
  cluster: seen.cluster,
  lastDegradedAtMs: timeOf(seen.volume.status?.lastDegradedAt) || undefined,
  replenishmentWaitMs: seen.settings.number('replica-replenishment-wait-interval') * 1000,
  nowMs,
});

/** The scheduled replicas, in the form that the scheduler takes. */
export function placedReplicas(
  seen: Pick<VolumeSeen, 'volume' | 'engine' | 'replicas' | 'cluster' | 'settings'>,
  nowMs: number,
): PlacedReplica[] {
  const reuse = reuseSeenOf(seen, nowMs);
  return seen.replicas
    .filter((replica) => (replica.spec.nodeID ?? '') !== '' && !isBeingDeleted(replica))
    .sort(byName)
    .map((replica) => {
      const failed = reuse.failed.find(({ name }) => name === nameOf(replica));
      return {
        name: nameOf(replica),
        node: replica.spec.nodeID ?? '',
        diskID: replica.spec.diskID ?? '',
        failed: failed !== undefined,
        mayReturn: failed !== undefined && mayReturn(failed, reuse),
      };
    });
}
