import type { BlockReader, Call, Extent, InstanceHost } from '@lateen/block-engine';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/**
 * Bounds of all waits. Each is well below the 125 s that the sidecars of CSI give a call: so that the caller gets the reason of the wait
 * instead of "deadline exceeded".
 */
export interface ReplicatedEngineLimits {
  createMs: number;
  deleteMs: number;
  attachMs: number;
  detachMs: number;
  growMs: number;
  snapshotMs: number;
  revertMs: number;
}

export const replicatedEngineLimits: ReplicatedEngineLimits = {
  createMs: 60_000,
  deleteMs: 100_000,
  attachMs: 100_000,
  detachMs: 100_000,
  growMs: 100_000,
  snapshotMs: 100_000,
  revertMs: 100_000,
};

/** Where snapshots are read. A replica of the volume has them; the builder of the engine provides the connection. */
export interface SnapshotReads {
  /** As `BlockEngine.extents`; the snapshots are there and of this volume. */
  extents(
    request: { volume: string; snapshot: string; since?: string; startBytes?: bigint },
    o: Call,
  ): AsyncIterable<Extent>;
  /** As `BlockEngine.openSnapshot`; the snapshot is there and of this volume. */
  open(request: { volume: string; snapshot: string }, o: Call): Promise<BlockReader>;
}

export interface ReplicatedEngineOptions {
  kube: KubeApi;
  /** Where the objects of longhorn.io are. */
  namespace: string;
  clock: Clock;
  random: Random;
  log: Logger;
  limits?: Partial<ReplicatedEngineLimits>;
  /** What runs on a node: for a revert and a trim, which no object asks for. Without it both are `NOT_SUPPORTED`. */
  hostOf?: (node: string) => InstanceHost | undefined;
  /** Without it {@link SnapshotReads} are `NOT_SUPPORTED`. */
  snapshotReads?: SnapshotReads;
}

export type EngineDeps = Required<Omit<ReplicatedEngineOptions, 'hostOf' | 'snapshotReads' | 'limits'>> &
  Pick<ReplicatedEngineOptions, 'hostOf' | 'snapshotReads'> & { limits: ReplicatedEngineLimits };

/** What was not said is as by default. */
export const engineDeps = ({ limits, ...options }: ReplicatedEngineOptions): EngineDeps => ({
  ...options,
  limits: { ...replicatedEngineLimits, ...limits },
});
