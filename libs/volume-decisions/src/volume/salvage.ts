import { type Engine, type Replica, salvageRequestOf, storageAnnotations, type Volume } from '@lateen/storage-types';
import { pendingContent } from '../content/content-of.ts';
import { type ClusterFacts, diskOf } from '../scheduler/cluster-facts.ts';
import type { Settings } from '../settings/read-settings.ts';
import { foldFailures, hasOnlyFailed, wholeSet } from './fold-failures.ts';
import { areAllKilled, bestToRead } from './killed-replicas.ts';
import { byName, everHealthy, isFailed, modeOf, nameOf, replicaText } from './replica-facts.ts';

export interface SalvageSeen {
  readonly volume: Volume;
  readonly engine?: Engine;
  readonly replicas: readonly Replica[];
  readonly cluster: ClusterFacts;
  readonly settings: Pick<Settings, 'flag'>;
}

export type Salvage =
  | { readonly kind: 'none' }
  /** Nothing is salvaged until one of `replicas` can be used, or all of them are permanently gone. */
  | { readonly kind: 'wait'; readonly replicas: readonly string[]; readonly because: string }
  | SalvageOf;

export interface SalvageOf {
  readonly kind: 'salvage';
  /** The replicas whose `spec.failedAt` is cleared, sorted. */
  readonly replicas: readonly string[];
  /** The replica that is read from until all are equal. */
  readonly readPrimary: string;
  /** True when the modes of the engine have to be cleared first: otherwise they would mark the replicas as failed again. */
  readonly clearModes: boolean;
  /** Acknowledged writes may be missing, because no remaining replica is known to have all of them. */
  readonly mayLackWrites: boolean;
  /** Every replica was killed while it was in use: acknowledged writes that were not flushed may be missing. */
  readonly allKilled: boolean;
}

/**
 * How a volume whose replicas have all failed recovers without a person. Every replica that the engine used to the end has every
 * acknowledged write: one usable replica of this kind is enough, and all usable ones are taken. A replica that failed earlier,
 * while others continued, lacks writes; it is never taken while one of the others may still come back, however close their
 * failures were. Only when the others are permanently gone, with their node or disk, the replica that failed last is taken. A
 * replica that was killed while in use may lack what was not flushed: it is taken too, but never without a replica that was not
 * killed, as long as there is one.
 * A person who names replicas (`salvageRequestOf`) decides for these, whatever the settings and the state of the others.
 */
export function decideSalvage(seen: SalvageSeen): Salvage {
  const { volume, engine, replicas, settings } = seen;
  const { spec, status = {} } = volume;
  if (!hasOnlyFailed(engine, replicas) || status.state !== 'detached') return { kind: 'none' };
  if (spec.Standby === true || pendingContent(volume) !== undefined) return { kind: 'none' };
  const whole = wholeSet(engine);
  const asked = askedFor(volume, replicas);
  if (asked.length > 0) return amongCandidates(asked, seen, !asked.some((replica) => whole.has(nameOf(replica))));
  if (!settings.flag('auto-salvage')) return { kind: 'none' };
  const withData = replicas.filter((replica) => everHealthy(replica) || whole.has(nameOf(replica))).sort(byName);
  const left = withData.filter((replica) => !isGone(replica, seen));
  const best = left.filter((replica) => whole.has(nameOf(replica)));
  // Without a record of the last start, all replicas that failed together are treated alike.
  const candidates = best.length > 0 ? best : failedLast(left, whole.size === 0 ? salvageWindowMs : 0);
  return candidates.length === 0 ? { kind: 'none' } : amongCandidates(candidates, seen, best.length === 0);
}

/** Replicas that a person wants to use again in the state since their failure; the request does not cover a later failure. */
function askedFor(volume: Volume, replicas: readonly Replica[]): readonly Replica[] {
  const asked = salvageRequestOf(volume);
  const isAsked = (replica: Replica) => isFailed(replica) && asked[nameOf(replica)] === replica.spec.failedAt;
  return replicas.filter((replica) => isAsked(replica) && everHealthy(replica)).sort(byName);
}

/** Replicas whose failures lie within this time count as having failed together. */
export const salvageWindowMs = 60_000;

function amongCandidates(candidates: readonly Replica[], seen: SalvageSeen, mayLackWrites: boolean): Salvage {
  const usable = candidates.filter((replica) => isUsable(replica, seen));
  const sound = bestToRead(candidates);
  const readPrimary = failedLast(
    sound.filter((replica) => usable.includes(replica)),
    0,
  )[0];
  if (readPrimary === undefined) {
    const names = sound.map(nameOf);
    const where = sound.map(replicaText).join(', ');
    return { kind: 'wait', replicas: names, because: `no replica with all data can be used: ${where}` };
  }
  return {
    kind: 'salvage',
    replicas: usable.map(nameOf),
    readPrimary: nameOf(readPrimary),
    clearModes: usable.some((replica) => modeOf(seen.engine, nameOf(replica)) === 'ERR'),
    mayLackWrites,
    allKilled: areAllKilled(candidates),
  };
}

/** Replicas that failed within `windowMs` of the last failure; a time that cannot be parsed counts as the earliest. */
function failedLast(replicas: readonly Replica[], windowMs: number): readonly Replica[] {
  const at = ({ spec }: Replica): number => Date.parse(spec.failedAt ?? '') || 0;
  const last = Math.max(...replicas.map(at));
  return replicas.filter((replica) => at(replica) >= last - windowMs);
}

/** Its node or its disk was removed from the cluster: the replica does not come back. */
function isGone({ spec }: Replica, { cluster }: SalvageSeen): boolean {
  return diskOf(cluster, spec.nodeID ?? '', spec.diskID ?? '') === undefined;
}

function isUsable({ spec }: Replica, { cluster, volume }: SalvageSeen): boolean {
  const node = cluster.nodes.get(spec.nodeID ?? '');
  if (!node?.ready || !node.managerIsUp || !node.engineImages.has(volume.spec.image ?? '')) return false;
  return diskOf(cluster, node.name, spec.diskID ?? '')?.schedulable === true;
}

/**
 * Why a requested salvage is refused, or undefined; `names` are the replicas to use. A failure that only the engine has recorded
 * has no time in its Replica yet, so a request could not say which failure it is for.
 */
export function checkSalvage(
  seen: Pick<SalvageSeen, 'volume' | 'engine' | 'replicas'>,
  names: readonly string[],
): string | undefined {
  const { volume, engine, replicas } = seen;
  const volumeName = nameOf(volume);
  if (volume.status?.robustness !== 'faulted') return `cannot salvage volume ${volumeName}: it is not faulted`;
  if (volume.status.state !== 'detached') return `cannot salvage volume ${volumeName}: it is ${volume.status.state}`;
  if (names.length === 0) return `cannot salvage volume ${volumeName}: no replica is named`;
  for (const name of names) {
    const replica = replicas.find((each) => nameOf(each) === name);
    if (replica === undefined) return `cannot salvage volume ${volumeName}: it has no replica ${name}`;
    if (!everHealthy(replica)) return `cannot salvage volume ${volumeName}: replica ${name} never had all the data`;
  }
  const unrecorded = foldFailures(engine, replicas, 0).failures.find(({ replica }) => names.includes(replica));
  return (
    unrecorded && `cannot salvage volume ${volumeName}: the failure of replica ${unrecorded.replica} is not in it yet`
  );
}

/**
 * The volume with the request to use the data of `names` again, for the failures that these replicas have now; nothing else
 * changes. Replicas that have not failed are left out of the request. Undefined when there is nothing to request, or the same
 * request exists already.
 */
export function withSalvageRequest(
  { volume, replicas }: Pick<SalvageSeen, 'volume' | 'replicas'>,
  names: readonly string[],
): Volume | undefined {
  const chosen = replicas.filter((replica) => names.includes(nameOf(replica)) && isFailed(replica)).sort(byName);
  const request = Object.fromEntries(chosen.map((replica) => [nameOf(replica), replica.spec.failedAt]));
  const text = JSON.stringify(request);
  if (chosen.length === 0 || text === JSON.stringify(salvageRequestOf(volume))) return undefined;
  const annotations = { ...volume.metadata.annotations, [storageAnnotations.salvageRequested]: text };
  return { ...volume, metadata: { ...volume.metadata, annotations } };
}
