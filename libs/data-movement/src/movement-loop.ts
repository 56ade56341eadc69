import { type CoreEvent, eventType, type KubeObject, labels, type Pod, podType } from '@lateen/api-types';
import { apiVersionOf, keyOf, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { type Change, controller, dropManagedFields, type Informer, informer, watches } from '@lateen/kube-runtime';
import { eventFeedKey, type KeyedFeed, keyedFeed, podFeedKey, watchHostingPod } from '@lateen/watcher';
import type { DataMovementPorts } from './data-movement-ports.ts';
import type { DataPathRunPorts } from './data-path/data-path-run.ts';
import type { Exposures } from './expose/exposures.ts';
import type { AgentRoster } from './gather/agent-roster.ts';
import { podSeen } from './gather/pod-seen.ts';
import { placeOf } from './gather/sight.ts';
import { type Movement, type MovementKind, ownerOf, withSpec } from './kinds/movement-kind.ts';
import { runsOn } from './kinds/ownership.ts';
import { MovementReconciler } from './movement-reconciler.ts';
import type { Slots } from './slots.ts';
import { countPhases, type MovementReadings, tellObserver } from './status/movement-observer.ts';

/** The ports that the loops of all kinds share. */
export interface SharedPorts extends Omit<DataMovementPorts, 'tell'> {
  pods: Informer<Pod>;
  /** Events of movers, by the apiVersion of the movement. */
  events: ReadonlyMap<string, Informer<CoreEvent>>;
  /** The pods of this node; absent when none of their volumes are moved. */
  clients: Informer<Pod> | undefined;
  /** All shared informers. */
  informers: readonly Pick<Informer<KubeObject>, 'run' | 'synced' | 'stats'>[];
  exposures: Exposures;
  slots: Slots;
  room: Slots;
  /** Slots for preparation of movements that only this node can run. */
  nodeRoom: Slots;
  roster: AgentRoster;
  tell(object: Movement, reason: string, message: string): void;
  signal: AbortSignal;
}

export interface MovementLoop {
  watch(): Promise<void>;
  synced(): Promise<void>;
  /** Counts the slots of movements that already run on this node, before any other may take one. Call when synced. */
  countRunning(): void;
  work(): Promise<void>;
  close(): Promise<void>;
  phases(): MovementReadings['phases'];
  interruptions(): number;
}

/** A mover has an Event for each reason and attempt. */
const eventsMax = 100;

/** Reconciliations at the same time per kind. They are short: waiting happens outside of them. */
const workers = 8;

/** Everything about one kind of movement: its informer, its queue, its reconciler. */
export function movementLoop<T extends Movement>(kind: MovementKind<T>, shared: SharedPorts): MovementLoop {
  const { kube, clock, random, log, namespace, signal } = shared;
  const name = kind.words.replaceAll(' ', '-');
  const transform = (object: T) => withSpec(dropManagedFields(object));
  const indexers = { [byClient]: (object: T) => clientKeys(kind, object) };
  const objects = informer<T>({ api: kube, type: kind.type, namespace, clock, random, log, transform, indexers });
  keepRoom(kind, shared, objects);
  const movements = controller(shared, {
    name,
    for: objects,
    watches: [
      watches(shared.pods, (change) => movementOf(kind, namespace, change)),
      ...(shared.clients === undefined ? [] : [watches(shared.clients, (change) => movementsOf(objects, change))]),
    ],
    reconciler: (queue) =>
      new MovementReconciler<T>({ ...shared, kind, queue, objects, runPorts: runPortsOf(shared, kind) }),
    workers,
  });
  shared.roster.onChange((changed) => {
    // Including movements without an owner: this node may be the first of all by now.
    for (const object of objects.list())
      if (['', changed].includes(kind.owner.nodeOf(object))) movements.queue.add(keyText(keyOf(object)));
  });
  return {
    watch: () => objects.run(signal),
    synced: () => objects.synced(signal),
    countRunning: () => {
      for (const object of objects.list())
        if (runsOn(shared.node, kind.owner, object)) shared.slots.force(placeOf(object));
    },
    work: () => movements.run(signal),
    close: () => movements.reconciler.close(),
    phases: () => countPhases(kind, objects.list(), shared.node),
    interruptions: () => objects.stats().interruptions,
  };
}

/** Counts the movements in preparation, and notifies the observer; before the controller sees the change. */
function keepRoom<T extends Movement>(kind: MovementKind<T>, shared: SharedPorts, objects: Informer<T>): void {
  const { room, nodeRoom, observer, node, clock } = shared;
  objects.onChange((change) => {
    const { object } = change;
    if (observer !== undefined) tellObserver(observer, kind, change, { node, nowMs: clock.now() });
    const place = placeOf(object);
    if (change.type !== 'deleted' && isBeingPrepared(object)) {
      room.force(place);
      if (kind.owner.isBound && kind.owner.nodeOf(object) === node) nodeRoom.force(place);
      // Including a movement that was never seen in preparation: it may have got a slot while it was new, and then be canceled.
    } else if (change.type === 'deleted' || !isNew(object)) for (const each of [room, nodeRoom]) each.release(place);
  });
}

/** A hosting pod has the name of its owner; name and kind are enough to find the movement. */
function movementOf<T extends Movement>(
  kind: MovementKind<T>,
  namespace: string,
  { object: pod }: Change<Pod>,
): ObjectKey[] {
  const owner = pod.metadata.ownerReferences?.find((each) => each.kind === kind.type.kind);
  return owner === undefined ? [] : [{ namespace, name: owner.name }];
}

const byClient = 'client';

function clientKeys<T extends Movement>({ client }: MovementKind<T>, object: T): string[] {
  return client === undefined ? [] : [keyText(client.podOf(object))];
}

const movementsOf = <T extends Movement>(objects: Informer<T>, { object: pod }: Change<Pod>): ObjectKey[] =>
  objects.byIndex(byClient, keyText(keyOf(pod))).map(keyOf);

/** Velero counts by this label, and its node-agents may run besides ours (data-movement.md section 8). */
const isBeingPrepared = (object: Movement): boolean => object.metadata.labels?.[labels.exposeOnGoing] === 'true';
const isNew = ({ status }: Movement): boolean => ['', 'New'].includes(status?.phase ?? '');

function runPortsOf<T extends Movement>(shared: SharedPorts, { type }: MovementKind<T>): DataPathRunPortsOf {
  const informed = shared.events.get(apiVersionOf(type));
  if (informed === undefined) throw new Error(`nobody watches the Events of ${type.kind}`);
  const pods = keyedFeed(shared.pods, podFeedKey);
  const events = keyedFeed(informed, eventFeedKey);
  return (log) => runPorts(shared, { pods, events }, log);
}

type DataPathRunPortsOf = (log: DataMovementPorts['log']) => DataPathRunPorts;

function runPorts(
  shared: SharedPorts,
  feeds: { pods: KeyedFeed<Pod>; events: KeyedFeed<CoreEvent> },
  log: DataMovementPorts['log'],
): DataPathRunPorts {
  const { kube, clock, random, node, limits, signal, logs, tell } = shared;
  return {
    kube,
    clock,
    random,
    node,
    limits,
    log,
    signal,
    progressIntervalMs: limits.progressIntervalMs,
    // The state of a pod that is gone cannot be read, so the client is assumed to be needed.
    neededClient: (object) => podSeen(shared.pods.get(keyOf(object)), object)?.needsClient !== false,
    tell,
    makePath: (object, callbacks, options) => {
      const { kind, namespace, name, uid } = ownerOf(object);
      const field = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
      return watchHostingPod({
        subject: { kind, namespace, name, uid, startedAt: object.status?.startTimestamp ?? undefined },
        ...feeds,
        readPod: (pod, readSignal) => readObject(kube, podType, pod, readSignal),
        readEvents: async (readSignal) => {
          const fieldSelector = `involvedObject.uid=${uid}`;
          return (await kube.list(eventType, { namespace, fieldSelector, limit: eventsMax, signal: readSignal })).items;
        },
        logs,
        logFields: { [field]: `${namespace}/${name}` },
        ...options,
        callbacks,
        onContradicted: callbacks.onContradicted,
        stop: signal,
        clock,
        log,
      });
    },
  };
}
