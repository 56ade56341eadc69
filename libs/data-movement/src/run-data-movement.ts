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
import { dropManagedFields, informer } from '@lateen/kube-runtime';
import type { DataMovementPorts } from './data-movement-ports.ts';
import { Exposures } from './expose/exposures.ts';
import { AgentRoster, rosterPod } from './gather/agent-roster.ts';
import { downloadKind } from './kinds/download-kind.ts';
import { ownerOf } from './kinds/movement-kind.ts';
import { uploadKind } from './kinds/upload-kind.ts';
import { type MovementLoop, movementLoop, type SharedPorts } from './movement-loop.ts';
import { slots } from './slots.ts';
import type { MovementReadings } from './status/movement-observer.ts';

/** What moves, kind by kind. A further one is a line here and its file in `kinds`; nothing else knows how many there are. */
const kinds: readonly ((ports: DataMovementPorts, shared: SharedPorts) => MovementLoop)[] = [
  ({ kube, snapshotExposer }, shared) => movementLoop(uploadKind({ kube, exposer: snapshotExposer }), shared),
  ({ kube, restoreExposer }, shared) => movementLoop(downloadKind({ kube, exposer: restoreExposer }), shared),
];

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
  const roster = new AgentRoster(clock, ports.node);
  const agents = informer<Pod>({
    ...base,
    type: podType,
    labelSelector: `${labels.name}=${labelValues.nodeAgent}`,
    transform: rosterPod,
    onError: () => roster.interrupted(),
  });
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
  const loops = kinds.map((begin) => begin(ports, shared));
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
