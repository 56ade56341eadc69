import { type VolumeSnapshot, volumeSnapshotType } from '@lateen/api-types';
import { type Clock, type Logger, orAborted, type Random, silentLogger } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText, type ObjectKey, parseKey } from '@lateen/kube';
import { type Informer, informer, waitForObject } from '@lateen/kube-runtime';

export interface SightPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log?: Logger;
}

/**
 * Waits until `until` yields something of the snapshot: it looks at once, and at each change. Undefined means that there is none.
 * @throws what `until` throws; the signal's reason
 */
export type WaitForSnapshot = <R>(
  key: ObjectKey,
  until: (snapshot: VolumeSnapshot | undefined) => R | undefined,
  signal: AbortSignal,
) => Promise<R>;

/** Where VolumeSnapshots are seen as they change. What it takes to see them is there for as long as `work` continues. */
export type SnapshotSight = <T>(work: (wait: WaitForSnapshot) => Promise<T>) => Promise<T>;

/** A watch for each wait: for one snapshot, or a few. */
export function watchEach({ kube, clock, random, log = silentLogger }: SightPorts): SnapshotSight {
  const ports = { api: kube, type: volumeSnapshotType, clock, random, log };
  return (work) => work((key, until, signal) => waitForObject({ ...ports, key, until, signal }));
}

/**
 * One watch of all snapshots with a label for however many wait: thousands of them cost one connection, and each change is
 * sent once. It begins with the first and ends with the last. A snapshot counts as gone when it was seen to go.
 */
export function watchTogether(ports: SightPorts, labelSelector: string): SnapshotSight {
  let running: Watching | undefined;
  return async (work) => {
    running ??= beginWatching(ports, labelSelector);
    const watching = running;
    watching.users += 1;
    try {
      return await work((key, until, signal) => changed(watching, keyText(key), until, signal));
    } finally {
      watching.users -= 1;
      if (watching.users === 0) {
        watching.stop.abort();
        if (running === watching) running = undefined;
      }
    }
  };
}

type Look = (snapshot: VolumeSnapshot | undefined) => void;

interface Watching {
  snapshots: Informer<VolumeSnapshot>;
  stop: AbortController;
  users: number;
  /** Who waits, by the snapshot's key. */
  looks: Map<string, Set<Look>>;
}

function beginWatching({ kube, log = silentLogger, ...ports }: SightPorts, labelSelector: string): Watching {
  const stop = new AbortController();
  const looks: Watching['looks'] = new Map();
  const snapshots = informer({ ...ports, log, api: kube, type: volumeSnapshotType, labelSelector });
  snapshots.onChange(({ type, object }) => {
    for (const look of [...(looks.get(keyText(keyOf(object))) ?? [])]) look(type === 'deleted' ? undefined : object);
  });
  void snapshots.run(stop.signal);
  return { snapshots, stop, users: 0, looks };
}

async function changed<R>(
  { snapshots, looks }: Watching,
  key: string,
  until: (snapshot: VolumeSnapshot | undefined) => R | undefined,
  signal: AbortSignal,
): Promise<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>();
  const look: Look = (snapshot) => {
    try {
      const value = until(snapshot);
      if (value !== undefined) resolve(value);
    } catch (error) {
      reject(error);
    }
  };
  signal.throwIfAborted();
  const others = looks.get(key) ?? new Set();
  looks.set(key, others.add(look));
  try {
    const present = snapshots.get(parseKey(key));
    if (present !== undefined) look(present);
    return await orAborted(promise, signal);
  } finally {
    others.delete(look);
    if (others.size === 0) looks.delete(key);
  }
}
