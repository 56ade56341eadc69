import type { StatusLink } from '@lateen/block-engine';
import type { Files } from '@lateen/volume';
import type { Call } from '../call.ts';

/** The part of `StorageDaemon` of `@lateen/qemu-storage` that is needed here; this layer must not depend on that library. */
export interface QemuDaemon {
  blockdevAdd(
    node: {
      nodeName: string;
      path: string;
      readOnly?: boolean;
      unlocked?: boolean;
      io: 'direct' | 'buffered';
      detectZeroes?: boolean;
      backing: string | null;
      tableCacheBytes?: number;
      tableCacheIdleSeconds?: number;
    },
    o: Call,
  ): Promise<void>;
  blockdevDel(nodeName: string, o: Call): Promise<void>;
  blockdevSnapshot(nodes: { node: string; overlay: string }, o: Call): Promise<void>;
  blockCommit(
    merge: { jobId: string; head: string; top: string; base: string; backingFile?: string },
    o: Call & { onProgress?: (progress: { done: number; total: number }) => void },
  ): Promise<void>;
  endJobs(o: Call): Promise<void>;
  blockResize(request: { nodeName: string; sizeBytes: bigint }, o: Call): Promise<void>;
  blockExportAdd(
    request: {
      type: 'nbd';
      id: string;
      nodeName: string;
      name: string;
      writable: boolean;
      allocationDepth?: boolean;
    },
    o: Call,
  ): Promise<void>;
  blockExportDel(request: { id: string; mode: 'safe' | 'hard' }, o: Call): Promise<void>;
  queryNamedBlockNodes(o: Call): Promise<readonly { nodeName: string; readOnly: boolean }[]>;
  queryBlockExports(o: Call): Promise<readonly { id: string }[]>;
}

/** The same of its `QemuImg`. */
export interface QemuImages {
  create(image: { path: string; sizeBytes: bigint; backingFile?: string }, o: Call): Promise<void>;
  relink(path: string, backingFile: string | undefined, o: Call): Promise<void>;
  commit(layers: { top: string; base: string }, o: Call): Promise<void>;
  info(
    path: string,
    o: Call & { inUse?: boolean },
  ): Promise<{
    sizeBytes: bigint;
    backingFile: string | undefined;
    clusterBytes: number;
    extendedL2: boolean;
  }>;
  check(path: string, o: Call): Promise<{ corruptions: number; leaks: number; sound: boolean }>;
  map(path: string, o: Call): Promise<readonly { depth: number; present: boolean }[]>;
}

/**
 * The daemon of a replica. `none`: none runs, which only the keeper of processes knows (`ProcessKeeper.mayRun` of `libs/instance-host`).
 * `unreachable`: one may run, and its monitor is not connected, yet or any more.
 */
export type PresentDaemon = QemuDaemon | 'none' | 'unreachable';

export interface QemuBlocksPorts {
  /** Absolute; the replica's folder. */
  readonly directory: string;
  daemon(): PresentDaemon;
  readonly images: QemuImages;
  readonly files: Pick<Files, 'sync' | 'replaceDurably' | 'removeDurably' | 'facts'>;
  /** `buffered` where the disk refuses direct I/O. */
  readonly io: 'direct' | 'buffered';
  /** A link to an export of that daemon. */
  connect(exportName: string, o: Call): Promise<StatusLink>;
}
