import { type CoreEvent, dataUploadType, eventType, labels, type Pod, podType, veleroGroup } from '@lateen/api-types';
import type { Exposer, RestoreExposer, SnapshotExposeParam } from '@lateen/exposer';
import type { Clock, Logger, Random } from '@lateen/kernel';
import {
  dropManagedFields,
  type Informer,
  informer,
  type KubeApi,
  keyOf,
  keyText,
  readObject,
  runController,
  WorkQueue,
} from '@lateen/kube';
import { eventFeedKey, keyedFeed, type LogRepeater, podFeedKey, watchHostingPod } from '@lateen/watcher';
import type { DataPathRunPorts } from './data-path-run.ts';
import { downloadKind } from './download-kind.ts';
import { Exposures } from './exposures.ts';
import { type Movement, type MovementKind, ownerOf } from './movement-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import { countPhases, type MovementObserver, type MovementReadings, tellObserver } from './movement-observer.ts';
import { MovementReconciler } from './movement-reconciler.ts';
import { Slots } from './slots.ts';
import { uploadKind } from './upload-kind.ts';

export interface DataMovementPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Namespace of the installation; the custom resources and the hosting pods are there. */
  namespace: string;
  /** The node that this process is the agent of. */
  node: string;
  limits: MovementLimits;
  snapshotExposer: Exposer<SnapshotExposeParam>;
  restoreExposer: RestoreExposer;
  logs: LogRepeater;
  /** Called once when all objects have been read. */
  onSynced?(): void;
  /** Told about every change of this node's movements; for metrics. */
  observer?: MovementObserver;
}

/** Reconciliations at the same time per kind. They are short: what waits does so beside them. */
const workers = 8;

/**
 * The node-agent's work: every DataUpload and DataDownload of the namespace that is this node's to accept, expose, watch
 * or conclude. One informer per kind of object, shared by all movements. Runs until `signal` aborts and resolves when
 * everything it started has ended; data paths in their pods go on, and the next process attaches to them.
 */
export async function runDataMovement(ports: DataMovementPorts, signal: AbortSignal): Promise<void> {
  const { kube, clock, random, log, namespace } = ports;
  const base = { api: kube, namespace, clock, random, log };
  const pods = informer<Pod>({
    ...base,
    type: podType,
    labelSelector: labels.exposerPodGroup,
    transform: dropManagedFields,
  });
  const events = informer<CoreEvent>({
    ...base,
    type: eventType,
    // All that movers report; what else happens in the namespace can be much more.
    fieldSelector: `involvedObject.apiVersion=${veleroGroup}/${dataUploadType.version}`,
    transform: dropManagedFields,
  });
  const exposures = new Exposures({ clock, random, log, max: ports.limits.exposuresMax });
  const shared: Shared = { ...ports, pods, events, exposures, slots: new Slots(ports.limits.slots), signal };
  const loops = [
    movementLoop(uploadKind({ kube, exposer: ports.snapshotExposer }), shared),
    movementLoop(downloadKind({ kube, exposer: ports.restoreExposer }), shared),
  ];
  ports.observer?.readings(() => readingsOf(shared, loops));
  const watching = Promise.all([pods.run(signal), events.run(signal), ...loops.map((loop) => loop.watch())]);
  try {
    await Promise.all([pods.synced(signal), events.synced(signal), ...loops.map((loop) => loop.synced())]);
    ports.onSynced?.();
    await Promise.all(loops.map((loop) => loop.work()));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await exposures.stopAll();
    await Promise.all(loops.map((loop) => loop.close()));
    await watching;
  }
}

interface Shared extends DataMovementPorts {
  pods: Informer<Pod>;
  events: Informer<CoreEvent>;
  exposures: Exposures;
  slots: Slots;
  signal: AbortSignal;
}

interface MovementLoop {
  watch(): Promise<void>;
  synced(): Promise<void>;
  work(): Promise<void>;
  close(): Promise<void>;
  phases(): MovementReadings['phases'];
  interruptions(): number;
}

function readingsOf({ pods, events, slots, exposures }: Shared, loops: readonly MovementLoop[]): MovementReadings {
  const interruptions = [
    pods.stats().interruptions,
    events.stats().interruptions,
    ...loops.map((loop) => loop.interruptions()),
  ];
  return {
    phases: loops.flatMap((loop) => loop.phases()),
    slots: { total: slots.max, taken: slots.taken, waiting: slots.waiting },
    exposures: { running: exposures.running, max: exposures.max },
    watchInterruptions: interruptions.reduce((sum, each) => sum + each, 0),
  };
}

function movementLoop<T extends Movement>(kind: MovementKind<T>, shared: Shared): MovementLoop {
  const { kube, clock, random, log, namespace, pods, signal } = shared;
  const name = kind.words.replace(' ', '-');
  const queue = new WorkQueue({ name, clock, random });
  const objects = informer<T>({
    api: kube,
    type: kind.type,
    namespace,
    clock,
    random,
    log,
    transform: dropManagedFields,
  });
  objects.onChange((change) => {
    queue.add(keyText(keyOf(change.object)));
    if (shared.observer !== undefined)
      tellObserver(shared.observer, kind.words, change, { node: shared.node, nowMs: clock.now() });
  });
  // A hosting pod is named as its owner; that and the kind are all that is needed to find it.
  pods.onChange(({ object }) => {
    const owner = object.metadata.ownerReferences?.find((each) => each.kind === kind.type.kind);
    if (owner !== undefined) queue.add(keyText({ namespace, name: owner.name }));
  });
  const reconciler = new MovementReconciler<T>({ ...shared, kind, queue, objects, runPorts: runPortsOf(shared) });
  return {
    watch: () => objects.run(signal),
    synced: () => objects.synced(signal),
    work: () => runController({ name, queue, reconciler, workers, clock, log, signal }),
    close: () => reconciler.close(),
    phases: () => countPhases(kind.words, objects.list(), shared.node),
    interruptions: () => objects.stats().interruptions,
  };
}

function runPortsOf(shared: Shared): (log: Logger) => DataPathRunPorts {
  const { kube, clock, random, limits, signal, logs } = shared;
  const pods = keyedFeed(shared.pods, podFeedKey);
  const events = keyedFeed(shared.events, eventFeedKey);
  return (log) => ({
    kube,
    clock,
    random,
    log,
    signal,
    progressIntervalMs: limits.progressIntervalMs,
    makePath: (object, callbacks) => {
      const { kind, namespace, name, uid } = ownerOf(object);
      const field = kind === dataUploadType.kind ? 'dataUpload' : 'dataDownload';
      return watchHostingPod({
        subject: { kind, namespace, name, uid },
        pods,
        events,
        readPod: (pod, readSignal) => readObject(kube, podType, pod, readSignal),
        logs,
        logFields: { [field]: `${namespace}/${name}` },
        callbacks,
        stop: signal,
        clock,
        log,
      });
    },
  });
}
