import {
  type BlockReader,
  blockVolumeError,
  type Call,
  type Extent,
  type InstanceHost,
  type StatusLink,
} from '@lateen/block-engine';
import { describeError, isAppError } from '@lateen/errors';
import { openLeased } from '@lateen/instance-host';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type KubeApi, listAll } from '@lateen/kube';
import { chainAreas, type OpenChain } from '@lateen/replica-store';
import { clusterBytes, objectNameOf, type SnapshotReads } from '@lateen/replicated-engine';
import { type Replica, replicaType, storageLabels } from '@lateen/storage-types';

export interface ReplicaReadsPorts {
  readonly kube: KubeApi;
  readonly namespace: string;
  /** The instance manager at an address. Nothing is sent before it is used. */
  hostAt(address: string): Pick<InstanceHost, 'openSnapshot' | 'closeSnapshot'> & Disposable;
  /** Connects to an export of a replica. */
  connect(at: { host: string; port: number }, exportName: string, signal: AbortSignal): Promise<StatusLink>;
  /** The key from which names of exports are derived. */
  exportKey(): Promise<Uint8Array>;
  readonly clock: Clock;
  /** For the names of readers. */
  readonly random: Random;
  readonly log: Logger;
}

/** Size of one read request to a replica. */
const pieceBytes = 2 * 1024 * 1024;

interface Opened extends AsyncDisposable {
  readonly chains: readonly OpenChain[];
}

/**
 * Reads snapshots from a running replica of the volume, through its instance manager, which does not merge them meanwhile. A detached volume has no
 * running replica: `NOT_POSSIBLE_NOW`. A replica that disappears while it is read is `VOLUME_FAULTED`: the next call uses another one.
 */
export function replicaReads(ports: ReplicaReadsPorts): SnapshotReads {
  return {
    extents: (request, o) => extents(ports, request, o),
    open: (request, o) => reader(ports, request, o),
  };
}

async function* extents(
  ports: ReplicaReadsPorts,
  request: Parameters<SnapshotReads['extents']>[0],
  o: Call,
): AsyncGenerator<Extent, void, undefined> {
  const { volume, snapshot, since, startBytes = 0n } = request;
  // Both are the same snapshot, so nothing differs.
  if (since !== undefined && objectNameOf(since) === objectNameOf(snapshot)) return;
  await using opened = await openSomewhere(ports, volume, [snapshot, ...(since === undefined ? [] : [since])], o);
  const [own, older] = opened.chains;
  if (own === undefined) throw new TypeError('a snapshot that was opened has no chain');
  try {
    yield* chainAreas({ snapshot: own, since: older, startBytes, granularityBytes: clusterBytes }, o.signal);
  } catch (error) {
    o.signal.throwIfAborted();
    throw unread(volume, error);
  }
}

async function reader(
  ports: ReplicaReadsPorts,
  { volume, snapshot }: { volume: string; snapshot: string },
  o: Call,
): Promise<BlockReader> {
  // It stays open after this call: disposing it ends the lease.
  const opened = await openSomewhere(ports, volume, [snapshot], { signal: new AbortController().signal });
  const link = opened.chains[0]?.link;
  if (link === undefined || o.signal.aborted) await opened[Symbol.asyncDispose]();
  o.signal.throwIfAborted();
  if (link === undefined) throw new TypeError('a snapshot that was opened has no link');
  return {
    sizeBytes: link.sizeBytes,
    read: async (at, into, { signal }) => {
      for (let offset = 0; offset < into.length; offset += pieceBytes) {
        signal.throwIfAborted();
        let filled = offset;
        for (const piece of await link.read(at + BigInt(offset), Math.min(pieceBytes, into.length - offset))) {
          into.set(piece, filled);
          filled += piece.length;
        }
      }
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Opens all of them on the first replica that has them; on the same replica, because only layers of one replica can be compared. */
async function openSomewhere(
  ports: ReplicaReadsPorts,
  volume: string,
  snapshots: readonly string[],
  o: Call,
): Promise<Opened> {
  const replicas = await runningReplicas(ports, volume, o);
  let cause: unknown;
  for (const replica of replicas) {
    try {
      return await openOn(ports, replica, snapshots, o);
    } catch (error) {
      o.signal.throwIfAborted();
      cause = error;
      ports.log.info({ replica: replica.metadata.name, err: error }, 'a replica cannot be read, another one is tried');
    }
  }
  if (cause !== undefined) throw unread(volume, cause);
  throw blockVolumeError('NOT_POSSIBLE_NOW', `no replica of volume ${volume} runs, so its snapshots cannot be read`, {
    nextStep: 'Repeat the call while the volume is attached, or read all of the snapshot.',
  });
}

async function openOn(
  ports: ReplicaReadsPorts,
  { metadata: { name: replica = '' }, status: { ip: host = '' } = {} }: Replica,
  snapshots: readonly string[],
  o: Call,
): Promise<Opened> {
  await using undo = new AsyncDisposableStack();
  const { clock, random, log, exportKey } = ports;
  const connect = (port: number, name: string, signal: AbortSignal) => ports.connect({ host, port }, name, signal);
  const lease = { host: undo.use(ports.hostAt(host)), connect, exportKey, clock, random, log };
  const chains: OpenChain[] = [];
  for (const snapshot of snapshots.map(objectNameOf)) {
    const { opened, link } = await openLeased(lease, { replica, snapshot, layerAlone: false }, o);
    undo.use(link);
    chains.push({ link, chain: opened.chain });
  }
  const opened = undo.move();
  return { chains, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Running replicas with all data, sorted by name. */
async function runningReplicas({ kube, namespace }: ReplicaReadsPorts, volume: string, o: Call): Promise<Replica[]> {
  const labelSelector = `${storageLabels.volume}=${objectNameOf(volume)}`;
  const { items } = await listAll(kube, replicaType, { namespace, labelSelector, ...o });
  return items
    .filter(({ metadata, spec, status }) => {
      const isWhole = (spec.failedAt ?? '') === '' && (spec.healthyAt ?? '') !== '';
      const runs = status?.currentState === 'running' && (status.ip ?? '') !== '';
      return isWhole && runs && metadata.deletionTimestamp === undefined;
    })
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
}

function unread(volume: string, cause: unknown): Error {
  if (isAppError(cause, 'NO_ROOM'))
    return blockVolumeError('NO_ROOM', `snapshots of volume ${volume} cannot be read: ${cause.message}`, { cause });
  return blockVolumeError('VOLUME_FAULTED', `snapshots of volume ${volume} cannot be read: ${describeError(cause)}`, {
    cause,
    nextStep: 'Repeat the call from the end of the last answer.',
  });
}
