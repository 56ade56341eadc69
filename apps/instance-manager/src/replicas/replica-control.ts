import {
  type Call,
  hostError,
  type PurgeProgress,
  type ReplicaControl,
  type ReplicaOf,
  type ReplicaSnapshot,
} from '@lateen/block-engine';
import type { NewSnapshot } from '@lateen/replica-store';
import { latestOf } from '../latest-of.ts';
import { sameReplica } from './check-replica.ts';
import { copyLayers } from './copy-layers.ts';
import { notConnected, notRunning, type ReplicaEntry } from './replica-entry.ts';
import { layersOf } from './replica-facts.ts';
import type { ReplicaHost } from './replica-host.ts';
import { replicaLimits } from './replica-ports.ts';

type Work<T> = (entry: ReplicaEntry, o: Call) => Promise<T>;

/**
 * What engines ask of the replicas of this node. Calls and promises of generations run one after the other, so from a promise on, calls of an older
 * engine are refused, and never overlap with calls of the new one.
 */
export function replicaControl(host: ReplicaHost): ReplicaControl {
  const once = <T>(request: ReplicaOf, { signal }: Call, work: Work<T>): Promise<T> =>
    host.inTurn(request.replica, signal, async () => {
      const entry = await serving(host, request, { signal });
      const answer = await work(entry, { signal });
      // An engine may be paused meanwhile, so the board is updated in the background.
      void entry.refresh({ signal: host.ports.clock.deadline(replicaLimits.turnMs) }).then(() => entry.retell());
      return answer;
    });
  /** The head is exported again; engines reconnect. */
  const served = (request: ReplicaOf, o: Call, work: Work<unknown>): Promise<void> =>
    once(request, o, async (entry, call) => {
      await work(entry, call);
      await entry.serve(request.generation, call);
    });
  return {
    layers: async (request, o) => {
      const { store } = await serving(host, request, o);
      const order = (await store.sourceLayers(o)).map(({ snapshot }) => snapshot.name);
      return layersOf(await store.record(o), await store.usage(o), order);
    },
    prepareSnapshot: (request, o) =>
      once(request, o, ({ store }, call) => store.prepareSnapshot(newSnapshot(request), call)),
    snapshot: (request, o) => once(request, o, ({ store }, call) => store.snapshot(newSnapshot(request), call)),
    cancelSnapshot: (request, o) => once(request, o, ({ store }, call) => store.cancelSnapshot(call)),
    revert: (request, o) => served(request, o, ({ store }, call) => store.revert(request.snapshot, call)),
    markRemoved: (request, o) => once(request, o, ({ store }, call) => store.markRemoved(request.snapshot, call)),
    purge: (request, o) => purge(host, request, o),
    grow: (request, o) => served(request, o, ({ store }, call) => store.grow(request.sizeBytes, call)),
    beginRebuild: (request, o) => served(request, o, ({ store }, call) => store.beginRebuild(request.sizeBytes, call)),
    copyLayers: (request, o) => copyLayers(host, request, o, (call) => serving(host, request, call)),
    attachLayers: (request, o) => served(request, o, ({ store }, call) => store.attachLayers(request.snapshot, call)),
    compared: async (request, o) => {
      await once(request, o, ({ store }, call) => store.compared(request.generation, call));
    },
  };
}

const newSnapshot = ({ snapshot, created, userCreated, labels }: ReplicaSnapshot): NewSnapshot => ({
  name: snapshot,
  createdAt: created,
  userCreated,
  labels,
});

/** The replica, if it runs here and has promised itself to this generation. */
async function serving(host: ReplicaHost, request: ReplicaOf, o: Call): Promise<ReplicaEntry> {
  const entry = host.find(request.replica);
  if (entry === undefined) throw notRunning(request.replica);
  sameReplica(entry.is, { ...request, name: request.replica });
  if (entry.line.connected === undefined) throw notConnected(host, entry);
  const { generation } = await entry.store.record(o);
  if (generation === request.generation) return entry;
  if (generation > request.generation)
    throw hostError('GENERATION_OVER', `replica ${request.replica} has promised generation ${generation} already`);
  throw hostError(
    'NOT_POSSIBLE_NOW',
    `replica ${request.replica} has not promised generation ${request.generation} yet`,
  );
}

async function* purge(host: ReplicaHost, request: ReplicaOf, { signal }: Call): AsyncGenerator<PurgeProgress> {
  const entry = await serving(host, request, { signal });
  const { replica } = request;
  yield* latestOf<PurgeProgress>(async (tell, ends) => {
    const onProgress = ({
      snapshot,
      doneBytes,
      totalBytes,
    }: {
      snapshot: string;
      doneBytes: number;
      totalBytes: number;
    }) => tell({ replica, snapshot, doneBytes: BigInt(doneBytes), totalBytes: BigInt(totalBytes) });
    const { waiting } = await entry.store.purge({ signal: ends, onProgress });
    await entry.refresh({ signal: ends });
    entry.retell();
    const read = waiting.filter(({ because }) => because === 'a reader has it open').map(({ snapshot }) => snapshot);
    // No list of the volume's snapshots shows them once the other replicas have merged theirs, so the caller of the purge has to learn of them.
    if (read.length > 0)
      throw hostError(
        'NOT_POSSIBLE_NOW',
        `${read.join(', ')} cannot be merged on ${replica} while a reader has it open`,
        {
          nextStep: 'Nothing to do: the merge is retried. A reader is removed a minute after its last call.',
        },
      );
    return [];
  }, signal);
}
