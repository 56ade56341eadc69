import { type EngineSnapshot, hostError, type ReplicaSnapshot } from '@lateen/block-engine';
import type { LiveEngine } from '../engine/live-engine.ts';
import { refreshSnapshots } from '../engine/snapshots-of.ts';
import { type Outcomes, outcomesOf } from './outcomes.ts';

type Snapshot = Pick<EngineSnapshot, 'snapshot' | 'userCreated' | 'created' | 'labels'>;

/**
 * A snapshot of the volume, equal on all its replicas: prepared on each, then taken on each while no request is pending. It is not taken when no
 * replica could prepare it; a replica that does not answer during the pause leaves the set, because it is unknown what it has frozen.
 * @throws `SNAPSHOT_EXISTS` for another one of this name, or when an earlier attempt has left it on some replicas; `NOT_POSSIBLE_NOW`
 */
export async function takeSnapshot(
  engine: LiveEngine,
  request: Snapshot,
  signal: AbortSignal,
): Promise<{ replicas: readonly string[] }> {
  const either = AbortSignal.any([signal, engine.parts.ended]);
  using _turn = await engine.turn(either);
  engine.assertCompared('a snapshot is taken');
  if (await isTaken(engine, request, either)) return { replicas: engine.readable };
  const { replicas } = await freezeAll(engine, request, either);
  await refreshSnapshots(engine);
  return { replicas };
}

/** Takes a snapshot and runs `also` in the same pause. The caller holds the engine's queue. */
export async function freezeAll(
  engine: LiveEngine,
  request: Snapshot,
  signal: AbortSignal,
  also: () => void = () => {},
): Promise<{ replicas: readonly string[] }> {
  const { limits } = engine.parts;
  await prepareAll(engine, request, signal);
  let drops: Promise<unknown>[] = [];
  let taken: readonly string[] = [];
  try {
    await engine.paused(limits.pauseMs.snapshot, signal, async () => {
      const outcomes = await snapshotAll(engine, request);
      taken = outcomes.done;
      drops = dropThoseWithout(engine, outcomes);
      if (!engine.readable.some((name) => outcomes.done.includes(name))) throw outcomes.firstError;
      also();
    });
  } catch (error) {
    // A snapshot that only some have taken does not count. Replicas are equal without it, because nothing was written since.
    await takeBack(engine, request.snapshot);
    throw error;
  } finally {
    await Promise.allSettled(drops);
  }
  const { readable } = engine;
  return { replicas: readable.filter((name) => taken.includes(name)) };
}

/** True when all readable replicas have this snapshot. */
async function isTaken(engine: LiveEngine, { snapshot, created }: Snapshot, signal: AbortSignal): Promise<boolean> {
  const { replicas } = engine.parts;
  const { readable } = engine;
  const found = await Promise.all(
    readable.map(async (name) => {
      const { layers } = await replicas.call(name, signal, (control, o) => control.layers(replicas.of(name), o));
      return layers.find((layer) => layer.name === snapshot);
    }),
  );
  const same = found.filter((layer) => layer?.created === created && !layer.removed);
  if (same.length === readable.length) return true;
  if (found.every((layer) => layer === undefined)) return false;
  throw hostError('SNAPSHOT_EXISTS', `the volume has another snapshot ${snapshot}, or some of its replicas have`, {
    nextStep: 'Take it under another name. The next purge removes what a failed attempt has left.',
  });
}

async function prepareAll(engine: LiveEngine, request: Snapshot, signal: AbortSignal): Promise<void> {
  const { replicas } = engine.parts;
  const outcomes = await outcomesOf(engine.members, (name) =>
    replicas.call(name, signal, (control, o) => control.prepareSnapshot(snapshotOn(engine, name, request), o)),
  );
  if (outcomes.failed.length === 0) return;
  await outcomesOf(outcomes.done, (name) =>
    replicas.call(name, signal, (control, o) => control.cancelSnapshot(replicas.of(name), o)),
  );
  throw outcomes.firstError;
}

/** Continues when the caller is gone: a replica whose answer was not awaited would leave the set. */
const snapshotAll = (engine: LiveEngine, request: Snapshot): Promise<Outcomes> => {
  const { replicas, limits, ended } = engine.parts;
  return outcomesOf(engine.members, (name) =>
    replicas.call(
      name,
      ended,
      (control, o) => control.snapshot(snapshotOn(engine, name, request), o),
      limits.replicaMs.snapshot,
    ),
  );
};

/**
 * If a readable replica has taken the snapshot, those that have not answered are dropped; otherwise write-only replicas that have taken it are
 * dropped, because the others have not.
 */
function dropThoseWithout(engine: LiveEngine, { done, failed, firstError }: Outcomes): Promise<unknown>[] {
  const { readable } = engine;
  const isTaken = readable.some((name) => done.includes(name));
  const going = isTaken ? failed : done.filter((name) => !readable.includes(name));
  const text = firstError instanceof Error ? firstError.message : String(firstError);
  const message = isTaken
    ? `it has not taken a snapshot: ${text}`
    : 'it has taken a snapshot that no other replica has';
  return going.map((name) => engine.set.drop(name, { kind: 'differs', message }));
}

/** Removes it from the replicas that can be reached; on the others it remains until the next purge. */
export async function takeBack(engine: LiveEngine, snapshot: string): Promise<void> {
  const { replicas, ended, ports } = engine.parts;
  const outcomes = await outcomesOf(engine.members, async (name) => {
    await replicas.call(name, ended, (control, o) => control.cancelSnapshot(replicas.of(name), o));
    await replicas.call(name, ended, (control, o) => control.markRemoved({ ...replicas.of(name), snapshot }, o));
  });
  if (outcomes.failed.length > 0 && !ended.aborted)
    ports.log.warn({ snapshot, err: outcomes.firstError }, 'a snapshot that failed is left on some replicas');
}

const snapshotOn = (engine: LiveEngine, replica: string, request: Snapshot): ReplicaSnapshot => {
  const { snapshot, userCreated, created, labels } = request;
  return { ...engine.parts.replicas.of(replica), snapshot, userCreated, created, labels };
};
