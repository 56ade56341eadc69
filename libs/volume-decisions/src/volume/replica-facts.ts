import { type Engine, type Replica, type ReplicaMode, storageAnnotations } from '@lateen/storage-types';

export const nameOf = (object: { readonly metadata: { readonly name?: string } }): string => object.metadata.name ?? '';

export const isFailed = ({ spec }: Replica): boolean => (spec.failedAt ?? '') !== '';

/** It had all the data at some time, and may still have it. */
export const everHealthy = ({ spec }: Replica): boolean =>
  (spec.healthyAt ?? '') !== '' || (spec.lastHealthyAt ?? '') !== '';

/** The generation in which its process was killed, so that its data may lag; undefined for a replica that was not killed. */
export function killedInOf({ metadata }: Replica): number | undefined {
  const text = metadata.annotations?.[storageAnnotations.killedIn];
  return text === undefined ? undefined : Number(text);
}

export const modeOf = (engine: Engine | undefined, replica: string): ReplicaMode | undefined =>
  engine?.status?.replicaModeMap?.[replica];

/** One sentence without a full stop: why a replica failed. */
export const failureCauseOf = ({ metadata }: Replica): string =>
  metadata.annotations?.[storageAnnotations.failureCause] ?? 'no cause is recorded';

/** The error of its host when it could not start the replica; undefined when there is none, or when the state has another cause. */
export function startProblemOf({ status }: Replica): { readonly reason: string; readonly message: string } | undefined {
  const creation = status?.conditions?.find(({ type }) => type === 'InstanceCreation');
  if (status?.currentState !== 'error' || creation?.status !== 'False') return undefined;
  return { reason: creation.reason ?? '', message: creation.message ?? '' };
}

/** `r-1 on node-2`, for people. */
export function replicaText(replica: Replica): string {
  const { nodeID = '' } = replica.spec;
  return nodeID === '' ? nameOf(replica) : `${nameOf(replica)} on ${nodeID}`;
}

export const byName = (a: Replica, b: Replica): number => (nameOf(a) < nameOf(b) ? -1 : 1);
