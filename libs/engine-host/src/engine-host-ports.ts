import type {
  BlockServer,
  BlockTarget,
  Call,
  EnsureEngine,
  HostInfo,
  ReplicaAddress,
  ReplicaControl,
  StatusLink,
} from '@lateen/block-engine';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ReplicaSetMetrics } from '@lateen/replica-set';

/** Identifies an export of a replica: its head under this generation. */
export interface HeadOf {
  readonly volumeUid: string;
  readonly generation: number;
}

export interface EngineHostPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics?: ReplicaSetMetrics;
  /**
   * A new connection to the head of a replica, by its socket where the address has one. The export has to report allocation depth; otherwise the head
   * is compared completely after an unclean end.
   * @throws AppError `LINK_LOST`, `LINK_REFUSED`
   */
  connectReplica(address: ReplicaAddress, head: HeadOf, o: Call): Promise<StatusLink>;
  /** The instance manager that runs this replica; disposed with the engine. */
  connectControl(address: ReplicaAddress, o: Call): Promise<ReplicaControl & Partial<Disposable>>;
  /**
   * Serves the volume to its front end: one export on a unix socket, with a reserve into which it can grow. A socket that an ended process has left
   * at this path is removed before.
   */
  serve(target: BlockTarget, engine: EnsureEngine): Promise<BlockServer>;
  info(): HostInfo;
}

export interface EngineHostLimits {
  /** Time for one connection to a replica, with its handshake. */
  connectMs: number;
  /** Time for one call to a replica while the engine runs. */
  callMs: number;
  /** After this time requests that wait for an unrecordable failure fail, and the end is not clean. */
  stopMs: number;
  /** Time for a flush before a replica is dropped, so that the others have everything on their disks. */
  flushMs: number;
  /** How long requests wait at most during a pause for ... */
  pauseMs: { snapshot: number; grow: number; revert: number; attach: number };
  /** The replicas' share of that; the rest is for pending requests and for a record. */
  replicaMs: { snapshot: number; grow: number; revert: number; attach: number };
  /** Operations that wait for another one of the same engine. */
  waitingMax: number;
  /** Attempts to copy in one rebuild, each from another source if there is one. */
  copiesMax: number;
  /** A copy without progress for so long is begun again. The sum of a large layer is reported only at its end. */
  copySilentMs: number;
  /** A replica without progress in its purge for so long is left to the next purge. */
  purgeSilentMs: number;
  /** How much of a head one request for its extents covers. */
  statusBytes: number;
}

export const engineHostLimits: EngineHostLimits = {
  connectMs: 10_000,
  callMs: 30_000,
  stopMs: 25_000,
  flushMs: 15_000,
  pauseMs: { snapshot: 10_000, grow: 30_000, revert: 60_000, attach: 40_000 },
  replicaMs: { snapshot: 7_000, grow: 20_000, revert: 45_000, attach: 20_000 },
  waitingMax: 16,
  copiesMax: 3,
  copySilentMs: 2 * 60 * 60_000,
  purgeSilentMs: 5 * 60_000,
  statusBytes: 1024 * 1024 * 1024,
};
