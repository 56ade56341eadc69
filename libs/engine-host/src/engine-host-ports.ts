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

/** Which export of a replica: that of its head under this generation. */
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
   * A new connection to the head of a replica, by its socket where the address has one. The export has to tell allocation depth; one that does
   * not is compared from beginning to end after an unclean end.
   * @throws AppError `LINK_LOST`, `LINK_REFUSED`
   */
  connectReplica(address: ReplicaAddress, head: HeadOf, o: Call): Promise<StatusLink>;
  /** The instance manager that runs this replica; disposed with the engine. */
  connectControl(address: ReplicaAddress, o: Call): Promise<ReplicaControl & Partial<Disposable>>;
  /**
   * Serves the volume to its front end: one export on a unix socket, with the reserve into which it can grow. What a process that has
   * ended has left at the path of the socket is removed before.
   */
  serve(target: BlockTarget, engine: EnsureEngine): Promise<BlockServer>;
  info(): HostInfo;
}

export interface EngineHostLimits {
  /** One connection to a replica, with its handshake. */
  connectMs: number;
  /** One call of a replica while the engine goes on. */
  callMs: number;
  /** What waits for a failure that cannot be recorded fails then, and the end is not clean. */
  stopMs: number;
  /** A flush before a replica is given up, so that the others have everything on their disks. */
  flushMs: number;
  /** How long requests wait at most for ... */
  pauseMs: { snapshot: number; grow: number; revert: number; attach: number };
  /** Of that, the time of the replicas; the rest is for requests under way and for a record. */
  replicaMs: { snapshot: number; grow: number; revert: number; attach: number };
  /** Operations that wait for another one of the same engine. */
  waitingMax: number;
  /** Copies of one rebuild, each from another source where there is one. */
  copiesMax: number;
  /** A copy that tells nothing for so long is begun again. The sum of a large layer is told of when it has ended. */
  copySilentMs: number;
  /** A replica that tells nothing of its purge for so long is left for the next one. */
  purgeSilentMs: number;
  /** One question for the extents of a head. */
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
