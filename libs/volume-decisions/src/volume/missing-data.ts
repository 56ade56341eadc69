import { labels as objectLabels } from '@lateen/api-types';
import { type Replica, storageAnnotations, type Volume } from '@lateen/storage-types';
import { byName, nameOf, replicaText, startProblemOf } from './replica-facts.ts';
import { startCandidates, startingOf } from './volume-facts.ts';
import type { VolumeSeen } from './volume-seen.ts';

export interface MissingData {
  /** For the condition DataMissing. */
  readonly reason: 'RestoredWithoutData' | 'ReplicasGone';
  /** What is missing: a sentence without a full stop. */
  readonly text: string;
  /** What a person can do. */
  readonly next: string;
  /** The object is a copy of the one that the replicas were made for: nothing is made or started for it. */
  readonly isCopy: boolean;
}

/** Why the data of a volume is known to be missing; undefined when it is present, or when that is unknown. */
export function missingData(seen: Pick<VolumeSeen, 'volume' | 'engine' | 'replicas'>): MissingData | undefined {
  if (isCopy(seen))
    return {
      reason: 'RestoredWithoutData',
      isCopy: true,
      text: 'the object came back from a backup of objects, and no replica on the disks of this cluster is its own',
      next: `Delete volume ${nameOf(seen.volume)}, and restore the claim that it was made for from a backup that has the data of the volume`,
    };
  return replicasGone(seen);
}

/**
 * Whether replicas were made for another object than this one: this one was restored, or copied from another cluster. A restore drops the status and
 * the owners of objects, so a volume that owns its replicas is never a copy, whatever a restore has written into its annotations.
 */
export function isCopy({ volume, replicas }: Pick<VolumeSeen, 'volume' | 'replicas'>): boolean {
  const { uid = '', annotations = {}, labels = {} } = volume.metadata;
  const owns = ({ metadata }: Replica): boolean => (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid);
  if (replicas.some(owns)) return false;
  const madeAs = annotations[storageAnnotations.madeAs];
  if (madeAs !== undefined) return madeAs !== uid;
  return labels[objectLabels.restoreName] !== undefined && (volume.status?.state ?? '') === '';
}

/** Errors of a replica's host for a folder that does not exist, or belongs to another volume. */
const goneReasons: ReadonlySet<string> = new Set(['REPLICA_GONE', 'REPLICA_FOREIGN']);

/** Each replica that an engine could start with has reported that its folder does not exist: its disk is not mounted, or was replaced. */
function replicasGone(seen: Pick<VolumeSeen, 'volume' | 'engine' | 'replicas'>): MissingData | undefined {
  const candidates = startCandidates(seen);
  if (candidates.length === 0 || startingOf(seen.engine) === undefined) return undefined;
  const problems = [...candidates].sort(byName).map((replica) => ({ replica, why: goneText(replica) }));
  if (problems.some(({ why }) => why === undefined)) return undefined;
  const where = problems.map(({ replica, why }) => `${replicaText(replica)}: ${why}`).join('; ');
  return {
    reason: 'ReplicasGone',
    isCopy: false,
    text: `no replica has its folder: ${where}`,
    next: `Mount the disks again that held them, or delete volume ${nameOf(seen.volume)} and restore its claim from a backup`,
  };
}

function goneText(replica: Replica): string | undefined {
  const problem = startProblemOf(replica);
  return problem !== undefined && goneReasons.has(problem.reason) ? problem.message : undefined;
}

/** The uid for the annotation `made-as` of a volume; `unknown` for a copy of a volume without the annotation. */
export const madeAsOf = (volume: Volume, replicas: readonly Replica[]): string =>
  isCopy({ volume, replicas })
    ? (volume.metadata.annotations?.[storageAnnotations.madeAs] ?? 'unknown')
    : (volume.metadata.uid ?? '');
