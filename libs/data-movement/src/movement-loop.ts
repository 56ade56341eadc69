import { type CoreEvent, eventType, labels, type Pod, podType } from '@lateen/api-types';
import { keyOf, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { type Change, controller, dropManagedFields, type Informer, informer, watches } from '@lateen/kube-runtime';
import { eventFeedKey, type KeyedFeed, keyedFeed, podFeedKey, watchHostingPod } from '@lateen/watcher';
import type { DataMovementPorts } from './data-movement-ports.ts';
import type { DataPathRunPorts } from './data-path/data-path-run.ts';
import type { Exposures } from './expose/exposures.ts';
import type { AgentRoster } from './gather/agent-roster.ts';
import { ownerNode, runsOn } from './gather/seen.ts';
import { placeOf } from './gather/sight.ts';
import { type Movement, type MovementKind, ownerOf, withSpec } from './kinds/movement-kind.ts';
import { MovementReconciler } from './movement-reconciler.ts';
import type { Slots } from './slots.ts';
import { countPhases, type MovementReadings, tellObserver } from './status/movement-observer.ts';

/** What the loops of all kinds share. */
export interface SharedPorts extends Omit<DataMovementPorts, 'tell'> {
  pods: Informer<Pod>;
  events: Informer<CoreEvent>;
  exposures: Exposures;
  slots: Slots;
  room: Slots;
  roster: AgentRoster;
  tell(object: Movement, reason: string, message: string): void;
  signal: AbortSignal;
}

export interface MovementLoop {
  watch(): Promise<void>;
  synced(): Promise<void>;
  /** Takes the slots of what runs on this node already, before anything else may take one. Call when synced. */
  countRunning(): void;
  work(): Promise<void>;
  close(): Promise<void>;
  phases(): MovementReadings['phases'];
  interruptions(): number;
}

/** A mover has an Event for each reason and attempt. */
const eventsMax = 100;

/** Reconciliations at the same time per kind. They are short: what waits does so beside them. */
const workers = 8;

/** Everything about one kind of movement: its informer, its queue, its reconciler. */
export function movementLoop<T extends Movement>(kind: MovementKind<T>, shared: SharedPorts): MovementLoop {
  const { kube, clock, random, log, namespace, signal } = shared;
  const name = kind.words.replace(' ', '-');
  const transform = (object: T) => withSpec(dropManagedFields(object));
  const objects = informer<T>({ api: kube, type: kind.type, namespace, clock, random, log, transform });
  keepRoom(kind, shared, objects);
  const movements = controller(shared, {
    name,
    for: objects,
    watches: [watches(shared.pods, (change) => movementOf(kind, namespace, change))],
    reconciler: (queue) => new MovementReconciler<T>({ ...shared, kind, queue, objects, runPorts: runPortsOf(shared) }),
    workers,
  });
  shared.roster.onChange((changed) => {
    for (const object of objects.list()) if (ownerNode(object) === changed) movements.queue.add(keyText(keyOf(object)));
  });
  return {
    watch: () => objects.run(signal),
    synced: () => objects.synced(signal),
    countRunning: () => {
      for (const object of objects.list()) if (runsOn(shared.node, object)) shared.slots.force(placeOf(object));
    },
    work: () => movements.run(signal),
    close: () => movements.reconciler.close(),
    phases: () => countPhases(kind.words, objects.list(), shared.node),
    interruptions: () => objects.stats().interruptions,
  };
}

/** Counts who is being prepared, and tells the observer; before the controller sees the change. */
function keepRoom<T extends Movement>(kind: MovementKind<T>, shared: SharedPorts, objects: Informer<T>): void {
  const { room, observer, node, clock } = shared;
  objects.onChange((change) => {
    const { object } = change;
    if (observer !== undefined) tellObserver(observer, kind.words, change, { node, nowMs: clock.now() });
    if (change.type !== 'deleted' && isBeingPrepared(object)) room.force(placeOf(object));
    // Also one that was never seen being prepared: it may have been given room while it was new, and then be canceled.
    else if (change.type === 'deleted' || !isNew(object)) room.release(placeOf(object));
  });
}

/** A hosting pod is named as its owner; that and the kind are all that is needed to find it. */
function movementOf<T extends Movement>(
  kind: MovementKind<T>,
  namespace: string,
  { object: pod }: Change<Pod>,
): ObjectKey[] {
  const owner = pod.metadata.ownerReferences?.find((each) => each.kind === kind.type.kind);
  return owner === undefined ? [] : [{ namespace, name: owner.name }];
}

/** The reference counts by this label, and its node-agents may be at work beside ours (data-movement.md section 8). */
const isBeingPrepared = (object: Movement): boolean => object.metadata.labels?.[labels.exposeOnGoing] === 'true';
const isNew = ({ status }: Movement): boolean => ['', 'New'].includes(status?.phase ?? '');

function runPortsOf(shared: SharedPorts): DataPathRunPortsOf {
  const pods = keyedFeed(shared.pods, podFeedKey);
  const events = keyedFeed(shared.events, eventFeedKey);
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
    tell,
    makePath: (object, callbacks) => {
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
        callbacks,
        onContradicted: callbacks.onContradicted,
        stop: signal,
        clock,
        log,
      });
    },
  };
}
