import {
  type CoreEvent,
  dataUploadType,
  eventType,
  labels,
  labelValues,
  type Pod,
  podType,
  veleroGroup,
} from '@lateen/api-types';
import type { Exposer, RestoreExposer, SnapshotExposeParam } from '@lateen/exposer';
import type { KubeApi } from '@lateen/kube';
import { type ControllerBase, dropManagedFields, type EventSubject, informer } from '@lateen/kube-runtime';
import type { LogRepeater } from '@lateen/watcher';
import { AgentRoster, rosterPod } from './agent-roster.ts';
import { downloadKind } from './download-kind.ts';
import { Exposures } from './exposures.ts';
import { ownerOf } from './movement-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import { type MovementLoop, movementLoop, type SharedPorts } from './movement-loop.ts';
import type { MovementObserver, MovementReadings } from './movement-observer.ts';
import { slots } from './slots.ts';
import { uploadKind } from './upload-kind.ts';

export interface DataMovementPorts extends ControllerBase {
  kube: KubeApi;
  /** Namespace of the installation; the custom resources and the hosting pods are there. */
  namespace: string;
  /** The node that this process is the agent of. */
  node: string;
  limits: MovementLimits;
  snapshotExposer: Exposer<SnapshotExposeParam>;
  restoreExposer: RestoreExposer;
  logs: LogRepeater;
  /** Tells users about a movement, as an Event on it; the reason is one of movementReasons. */
  tell?(subject: EventSubject, reason: string, message: string): void;
  /** Called once when all objects have been read. */
  onSynced?(): void;
  /** Told about every change of this node's movements; for metrics. */
  observer?: MovementObserver;
}

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
  const agents = informer<Pod>({
    ...base,
    type: podType,
    labelSelector: `${labels.name}=${labelValues.nodeAgent}`,
    transform: rosterPod,
  });
  const roster = new AgentRoster(clock, ports.node);
  roster.follow(agents);
  const shared: SharedPorts = {
    ...ports,
    pods,
    events,
    roster,
    exposures: new Exposures({ clock, random, log, max: ports.limits.exposuresMax }),
    slots: slots(ports.limits.slots),
    room: slots(ports.limits.prepareQueueLength || Number.POSITIVE_INFINITY),
    tell: (object, reason, message) => ports.tell?.(ownerOf(object), reason, message),
    signal,
  };
  const loops = [
    movementLoop(uploadKind({ kube, exposer: ports.snapshotExposer }), shared),
    movementLoop(downloadKind({ kube, exposer: ports.restoreExposer }), shared),
  ];
  ports.observer?.readings(() => readingsOf(shared, loops));
  const informers = [pods, events, agents];
  const watching = Promise.all(
    [...informers, ...loops].map((each) => ('watch' in each ? each.watch() : each.run(signal))),
  );
  try {
    await Promise.all([...informers, ...loops].map((each) => each.synced(signal)));
    for (const loop of loops) loop.countRunning();
    ports.onSynced?.();
    await Promise.all(loops.map((loop) => loop.work()));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await shared.exposures.stopAll();
    await Promise.all(loops.map((loop) => loop.close()));
    await watching;
  }
}

function readingsOf(
  { pods, events, slots, room, exposures }: SharedPorts,
  loops: readonly MovementLoop[],
): MovementReadings {
  const interruptions = [
    pods.stats().interruptions,
    events.stats().interruptions,
    ...loops.map((loop) => loop.interruptions()),
  ];
  return {
    phases: loops.flatMap((loop) => loop.phases()),
    slots: { total: slots.max, taken: slots.taken, waiting: slots.waiting },
    exposures: { running: exposures.running, max: exposures.max },
    prepareQueue: { max: Number.isFinite(room.max) ? room.max : 0, waiting: room.waiting },
    watchInterruptions: interruptions.reduce((sum, each) => sum + each, 0),
  };
}
