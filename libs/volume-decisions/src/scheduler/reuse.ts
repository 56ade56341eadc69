import { plainBackoffMs } from '@lateen/kernel';
import { isAhead } from '../decision/is-ahead.ts';
import { type ClusterFacts, diskOf, isBeingEmptied } from './cluster-facts.ts';
import type { VolumeFacts } from './place-request.ts';

/** The facts of a failed replica that matter for reusing it. */
export interface FailedReplica {
  readonly name: string;
  readonly node: string;
  readonly diskID: string;
  readonly image: string;
  /** `spec.lastFailedAt`, or `spec.failedAt`: its latest failure, in epoch ms. */
  readonly failedAtMs: number;
  readonly rebuildRetryCount: number;
  readonly evictionRequested: boolean;
}

export interface ReuseSeen {
  readonly failed: readonly FailedReplica[];
  readonly volume: Pick<VolumeFacts, 'image'>;
  readonly cluster: ClusterFacts;
  /** `status.lastDegradedAt` of the volume, in epoch ms. */
  readonly lastDegradedAtMs: number | undefined;
  /** replica-replenishment-wait-interval */
  readonly replenishmentWaitMs: number;
  readonly nowMs: number;
}

/** `wait`: look again at `untilMs`; `replicas` are the ones to wait for, sorted. `none`: make a new replica. */
export type Reuse =
  | { readonly kind: 'reuse'; readonly replica: string }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly replicas: readonly string[] }
  | { readonly kind: 'none' };

/** After so many failed rebuilds a replica is not tried again. */
export const rebuildRetriesMax = 5;

/**
 * Delay between two attempts with one replica; the first retry comes after 10 s, so that rebuilds do not loop without a pause.
 */
const retryBackoff = { firstMs: 10_000, factor: 2, maxMs: 300_000 } as const;

/**
 * Whether a volume that lacks a replica reuses a failed one. Most of its data need not be copied, so it is preferred to a new
 * one; the one with the newest failure comes first, because it has missed least. While a replica may still come back, no new one
 * is made until the volume has been degraded for the wait interval.
 */
export function reusableReplica(seen: ReuseSeen): Reuse {
  const possible = seen.failed.filter((replica) => couldReturn(replica, seen)).sort(newestFirst);
  const isDue = (replica: FailedReplica): boolean =>
    nextTryMs(replica) <= seen.nowMs || isAhead(replica.failedAtMs, seen.nowMs);
  const now = possible.find((replica) => isReady(replica, seen) && isDue(replica));
  if (now !== undefined) return { kind: 'reuse', replica: now.name };
  const first = possible[0];
  if (first === undefined) return { kind: 'none' };
  const endMs = (seen.lastDegradedAtMs ?? first.failedAtMs) + seen.replenishmentWaitMs;
  if (seen.nowMs >= endMs) return { kind: 'none' };
  const tries = possible.filter((replica) => isReady(replica, seen)).map(nextTryMs);
  return { kind: 'wait', untilMs: Math.min(endMs, ...tries), replicas: possible.map(({ name }) => name).sort() };
}

/** Whether a failed replica keeps its place because it may come back: `PlacedReplica.mayReturn`. */
export function mayReturn(replica: FailedReplica, seen: Omit<ReuseSeen, 'failed'>): boolean {
  return reusableReplica({ ...seen, failed: [replica] }).kind !== 'none';
}

/** Nothing rules it out permanently: its node and disk are known and are not being emptied, and it has attempts left. */
function couldReturn(replica: FailedReplica, { cluster, volume }: Pick<ReuseSeen, 'cluster' | 'volume'>): boolean {
  const disk = diskOf(cluster, replica.node, replica.diskID);
  const node = cluster.nodes.get(replica.node);
  if (node === undefined || isBeingEmptied(node) || disk === undefined || disk.evictionRequested) return false;
  return !replica.evictionRequested && replica.rebuildRetryCount < rebuildRetriesMax && replica.image === volume.image;
}

/** Node, disk and instance manager are available now. */
function isReady(replica: FailedReplica, { cluster, volume }: ReuseSeen): boolean {
  const node = cluster.nodes.get(replica.node);
  if (!node?.ready || !node.managerIsUp || !node.engineImages.has(volume.image)) return false;
  return diskOf(cluster, replica.node, replica.diskID)?.schedulable === true;
}

/** At once after its first failure; with the delay after a failed rebuild. */
function nextTryMs({ failedAtMs, rebuildRetryCount }: FailedReplica): number {
  return rebuildRetryCount === 0 ? failedAtMs : failedAtMs + plainBackoffMs(rebuildRetryCount, retryBackoff);
}

function newestFirst(a: FailedReplica, b: FailedReplica): number {
  if (a.failedAtMs !== b.failedAtMs) return b.failedAtMs - a.failedAtMs;
  return a.name < b.name ? -1 : 1;
}
