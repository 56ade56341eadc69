import { hostError } from '@lateen/block-engine';
import { apiTime, keyOf } from '@lateen/kube';
import { eventSubject } from '@lateen/kube-runtime';
import { type Engine, generationOf, type Replica, type Snapshot, snapshotType } from '@lateen/storage-types';
import { compareSums, instanceOf, type SumsVerdict, type SumTask } from '@lateen/volume-decisions';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeOf } from '../../frame/volume-of.ts';
import { within } from '../../hosts/host-calls.ts';

/** Each replica is read at most this fast, one after the other: pods that use the disk have priority. */
export const sumBytesPerSecond = 64n * 1024n * 1024n;

interface Asked {
  readonly engine: Engine;
  readonly snapshot: Snapshot;
  /** All replicas of the engine that have data. */
  readonly replicas: readonly Replica[];
}

/**
 * Asks each replica for the sum of a snapshot, which may be cached there, compares the sums, and acts on the result. Sums of the layer are compared
 * first; where they differ, sums of what the snapshot reads as: a layer may be merged already on one replica and not on another, and both read the
 * same. Only if these sums differ too is a replica failed, by its engine; the next rebuild restores its data. No replica is failed unless the
 * replicas are still the ones that were read.
 * @throws errors of hosts and of the API server: retried later, from the start
 */
export async function* sumSnapshot(
  context: RoomContext,
  task: SumTask,
  signal: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  const asked = askedOf(context, task);
  const calculatedAt = apiTime(context.wall.now());
  let verdict: SumsVerdict | undefined;
  for (const layerAlone of [true, false]) {
    const sums: Record<string, string> = {};
    for (const replica of asked.replicas) {
      sums[replica.metadata.name ?? ''] = await sumOn(context, replica, { task, layerAlone }, signal);
      yield;
    }
    verdict = compareSums(task.snapshot, sums);
    if (verdict !== undefined && 'agreed' in verdict && !('fail' in verdict)) break;
  }
  if (verdict === undefined) return;
  if ('fail' in verdict) await failReplicas(context, asked, verdict, signal);
  const checksum = 'agreed' in verdict ? { checksum: verdict.agreed } : {};
  await note(context, asked.snapshot, { ...checksum, checksumCalculatedAt: calculatedAt }, signal);
  if ('open' in verdict) tell(context, task.volume, verdict.event);
}

function askedOf({ caches, namespace }: RoomContext, { volume, snapshot: name }: SumTask): Asked {
  const engine = caches.engines.byIndex('volume', volume)[0];
  const snapshot = caches.snapshots.get({ namespace, name });
  if (engine === undefined || snapshot === undefined)
    throw hostError('NOT_POSSIBLE_NOW', `snapshot ${name} or its engine is gone`);
  const of = new Map(caches.replicas.byIndex('volume', volume).map((each) => [each.metadata.name, each]));
  const replicas = Object.keys(engine.status?.replicaModeMap ?? {})
    .sort()
    .map((replica) => {
      const found = of.get(replica);
      if (found === undefined) throw hostError('NOT_POSSIBLE_NOW', `replica ${replica} is gone`);
      return found;
    });
  return { engine, snapshot, replicas };
}

async function sumOn(
  { hosts }: RoomContext,
  { metadata, spec }: Replica,
  { task, layerAlone }: { readonly task: SumTask; readonly layerAlone: boolean },
  signal: AbortSignal,
): Promise<string> {
  const { name: replica = '' } = metadata;
  const host = hosts.host(spec.nodeID ?? '', { kind: 'replica', name: replica });
  const { snapshot, onlyChanged } = task;
  const request = { replica, snapshot, layerAlone, onlyChanged, bytesPerSecond: sumBytesPerSecond };
  for await (const { sum } of host.snapshotSum(request, { signal })) if (sum !== undefined) return sum;
  throw hostError('NOT_POSSIBLE_NOW', `replica ${replica} has told no sum of snapshot ${task.snapshot}`);
}

/**
 * Checks the engine's present state: a replica that was rebuilt meanwhile has other data than was read, and the correct replicas must still be there.
 */
async function failReplicas(
  context: RoomContext,
  { engine, replicas }: Asked,
  { fail, cause }: Extract<SumsVerdict, { readonly fail: readonly string[] }>,
  signal: AbortSignal,
): Promise<void> {
  const { hosts, caches, clock, log } = context;
  const { name = '', namespace = '' } = engine.metadata;
  const { nodeID = '', volumeName = '' } = engine.spec;
  const now = instanceOf(hosts.facts(nodeID), 'engine', name)?.engine;
  const isSame = ({ metadata, spec }: Replica): boolean => {
    const later = caches.replicas.get({ namespace, name: metadata.name ?? '' });
    return now?.modes[metadata.name ?? ''] === 'RW' && later?.spec.healthyAt === spec.healthyAt;
  };
  if (!replicas.every(isSame))
    throw hostError('NOT_POSSIBLE_NOW', `the replicas of ${volumeName} are not those that were compared any more`);
  for (const replica of fail) {
    log.error({ volume: volumeName, replica, cause }, 'a replica has other data than the majority and is failed');
    const host = hosts.host(nodeID, { kind: 'engine', name });
    const request = { engine: name, generation: generationOf(engine) ?? 0, replica, cause: 'failed', message: cause };
    await within(clock, 'engine', signal, (call) => host.engineDropReplica(request, call));
    tell(context, volumeName, { type: 'Warning', reason: 'ChecksumDiffers', message: `replica ${replica}: ${cause}` });
  }
}

/**
 * A patch: the snapshot controller writes the rest of the status, and reads it again when it has changed. @throws KUBE_NOT_FOUND, KUBE_CONFLICT when
 * another object has the name
 */
async function note(
  { kube }: RoomContext,
  snapshot: Snapshot,
  status: { readonly checksum?: string; readonly checksumCalculatedAt: string },
  signal: AbortSignal,
): Promise<void> {
  const { uid } = snapshot.metadata;
  const body = { metadata: { uid }, status };
  await kube.patch(snapshotType, keyOf(snapshot), { type: 'merge', body }, { signal, subresource: 'status' });
}

function tell(
  { caches, namespace, events }: RoomContext,
  volume: string,
  event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
): void {
  const object = volumeOf(caches, namespace, volume);
  if (object !== undefined) events.record(eventSubject(object), event.reason, event.message, { type: event.type });
}
