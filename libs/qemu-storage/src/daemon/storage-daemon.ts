import type { UnixOrTcp } from '@lateen/block-engine';
import { type AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { addExport, type BlockExport, deleteExport, listExports, type SeenExport } from '../commands/block-exports.ts';
import {
  endJobs,
  type JobOptions,
  type LayerMerge,
  listJobs,
  mergeLayers,
  type SeenJob,
} from '../commands/block-jobs.ts';
import {
  addNode,
  type BlockNode,
  type CommandOptions,
  deleteNode,
  listNodes,
  type Qcow2Node,
  resizeNode,
  snapshotNode,
} from '../commands/block-nodes.ts';
import { startNbdServer, stopNbdServer } from '../commands/nbd-server.ts';
import type { QmpConnection } from '../qmp/qmp.ts';
import type { QmpEvent } from '../qmp/qmp-message.ts';
import type { DaemonCheck } from './check-daemon.ts';
import { exportThread } from './daemon-arguments.ts';

/**
 * A storage daemon that is ready. Every call fails with the errors of `Qmp`, and only once the daemon has ended with
 * STORAGE_DAEMON_ENDED for all of them. Disposing closes the monitor; the daemon continues.
 */
export interface StorageDaemon extends DaemonCheck, AsyncDisposable {
  /** Resolves when the connection has ended, with the cause. Never rejects. */
  readonly closed: Promise<AppError>;
  onEvent(listener: (event: QmpEvent) => void): () => void;

  blockdevAdd(node: Qcow2Node, o?: CommandOptions): Promise<void>;
  /** Refused while something uses the node. */
  blockdevDel(nodeName: string, o?: CommandOptions): Promise<void>;
  /** `overlay`, a node that was added without backing, takes the place of `node` in its exports, and stands on it. */
  blockdevSnapshot(nodes: { node: string; overlay: string }, o?: CommandOptions): Promise<void>;
  /** See `mergeLayers`. */
  blockCommit(merge: LayerMerge, o?: JobOptions): Promise<void>;
  /** Refused while a writable export of the node is there: take that away, resize, export again. */
  blockResize(request: { nodeName: string; sizeBytes: bigint }, o?: CommandOptions): Promise<void>;
  blockExportAdd(request: BlockExport, o?: CommandOptions): Promise<void>;
  /** See `deleteExport`. */
  blockExportDel(request: { id: string; mode: 'safe' | 'hard' }, o?: CommandOptions): Promise<void>;
  queryNamedBlockNodes(o?: CommandOptions): Promise<BlockNode[]>;
  queryBlockExports(o?: CommandOptions): Promise<SeenExport[]>;
  queryJobs(o?: CommandOptions): Promise<SeenJob[]>;
  /** See `endJobs`. */
  endJobs(o?: CommandOptions): Promise<void>;
  nbdServerStart(at: UnixOrTcp, o?: CommandOptions): Promise<void>;
  nbdServerStop(o?: CommandOptions): Promise<void>;
  /** Asks the daemon to end: exports are cut, files closed. Resolves when it has heard, not when it is gone. */
  quit(o?: CommandOptions): Promise<void>;
}

export function openedDaemon(qmp: QmpConnection, check: DaemonCheck, clock: Clock): StorageDaemon {
  return {
    ...check,
    closed: qmp.closed,
    onEvent: (listener) => qmp.onEvent(listener),
    blockdevAdd: async (node, o) => void (await addNode(qmp, node, o)),
    blockdevDel: async (nodeName, o) => void (await deleteNode(qmp, nodeName, o)),
    blockdevSnapshot: async (nodes, o) => void (await snapshotNode(qmp, nodes, o)),
    blockCommit: (merge, o) => mergeLayers(qmp, clock, merge, o),
    blockResize: async (request, o) => void (await resizeNode(qmp, request, o)),
    blockExportAdd: (request, o) => addExport(qmp, request, check.exportsInThread ? exportThread : undefined, o),
    blockExportDel: (request, o) => deleteExport(qmp, clock, request, o),
    queryNamedBlockNodes: (o) => listNodes(qmp, o),
    queryBlockExports: (o) => listExports(qmp, o),
    queryJobs: (o) => listJobs(qmp, o),
    endJobs: (o) => endJobs(qmp, clock, o),
    nbdServerStart: (at, o) => startNbdServer(qmp, at, o),
    nbdServerStop: (o) => stopNbdServer(qmp, o),
    quit: (o) => quit(qmp, o),
    [Symbol.asyncDispose]: () => qmp[Symbol.asyncDispose](),
  };
}

/** The daemon may be gone before its answer is read. */
async function quit(qmp: QmpConnection, options: CommandOptions = {}): Promise<void> {
  try {
    await qmp.execute('quit', {}, options);
  } catch (error) {
    if (!isAppError(error, 'STORAGE_DAEMON_ENDED')) throw error;
  }
}
