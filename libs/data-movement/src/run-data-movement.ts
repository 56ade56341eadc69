import {
  type CoreEvent,
  dataUploadType,
  eventType,
  labels,
  labelValues,
  type Pod,
  podType,
  podVolumeBackupType,
} from '@lateen/api-types';
import { apiVersionOf } from '@lateen/kube';
import { dropManagedFields, type Informer, informer } from '@lateen/kube-runtime';
import type { DataMovementPorts } from './data-movement-ports.ts';
import { Exposures } from './expose/exposures.ts';
import { AgentRoster, rosterPod } from './gather/agent-roster.ts';
import { clientPod } from './gather/client-seen.ts';
import { downloadKind } from './kinds/download-kind.ts';
import { ownerOf } from './kinds/movement-kind.ts';
import { podVolumeBackupKind } from './kinds/pod-volume-backup-kind.ts';
import { podVolumeRestoreKind } from './kinds/pod-volume-restore-kind.ts';
import { uploadKind } from './kinds/upload-kind.ts';
import { type MovementLoop, movementLoop, type SharedPorts } from './movement-loop.ts';
import { boundToNodeMax, slots } from './slots.ts';
import type { MovementReadings } from './status/movement-observer.ts';

/** One loop per kind. A new kind needs a line here and its file in `kinds`; no other code depends on their number. */
function loopsOf(ports: DataMovementPorts, shared: SharedPorts): MovementLoop[] {
  const { kube, snapshotExposer, restoreExposer, podVolumes } = ports;
  const ofSnapshots = [
    movementLoop(uploadKind({ kube, exposer: snapshotExposer }), shared),
    movementLoop(downloadKind({ kube, exposer: restoreExposer }), shared),
  ];
  if (podVolumes === undefined) return ofSnapshots;
  return [
    ...ofSnapshots,
    movementLoop(podVolumeBackupKind({ kube, ...podVolumes }), shared),
    movementLoop(podVolumeRestoreKind({ kube, ...podVolumes }), shared),
  ];
}

/**
 * Runs the node-agent: every movement of the namespace that this node has to accept, expose, watch or conclude. One informer per
 * kind of object, shared by all movements. Runs until `signal` aborts and resolves when everything it started has ended; data
 * paths continue in their pods, and the next process attaches to them.
 */
export async function runDataMovement(ports: DataMovementPorts, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = ports;
  const watched = watchedBy(ports);
  const shared: SharedPorts = {
    ...ports,
    ...watched,
    exposures: new Exposures({ clock, random, log, max: ports.limits.exposuresMax }),
    slots: slots(ports.limits.slots),
    room: slots(ports.limits.prepareQueueLength || Number.POSITIVE_INFINITY),
    nodeRoom: slots(boundToNodeMax(ports.limits.slots)),
    tell: (object, reason, message) => ports.tell?.(ownerOf(object), reason, message),
    signal,
  };
  const loops = loopsOf(ports, shared);
  ports.observer?.readings(() => readingsOf(shared, loops));
  const { informers } = watched;
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

/** The informers that all kinds share. */
function watchedBy(
  ports: DataMovementPorts,
): Pick<SharedPorts, 'pods' | 'events' | 'clients' | 'roster' | 'informers'> {
  const { kube, clock, random, log, namespace, node } = ports;
  const anywhere = { api: kube, clock, random, log };
  const base = { ...anywhere, namespace };
  const pods = informer<Pod>({
    ...base,
    type: podType,
    labelSelector: labels.exposerPodGroup,
    transform: dropManagedFields,
  });
  const eventsOf = (apiVersion: string): [string, Informer<CoreEvent>] => [
    apiVersion,
    informer<CoreEvent>({
      ...base,
      type: eventType,
      // Only Events of movers; the other Events of the namespace may be many more.
      fieldSelector: `involvedObject.apiVersion=${apiVersion}`,
      transform: dropManagedFields,
    }),
  ];
  const moved = ports.podVolumes === undefined ? [dataUploadType] : [dataUploadType, podVolumeBackupType];
  const events = new Map(moved.map((type) => eventsOf(apiVersionOf(type))));
  const roster = new AgentRoster(clock, node);
  const agents = informer<Pod>({
    ...base,
    type: podType,
    labelSelector: `${labels.name}=${labelValues.nodeAgent}`,
    transform: rosterPod,
    onError: () => roster.interrupted(),
  });
  roster.follow(agents);
  const fieldSelector = `spec.nodeName=${node}`;
  const clients =
    ports.podVolumes === undefined
      ? undefined
      : informer<Pod>({ ...anywhere, type: podType, fieldSelector, transform: clientPod });
  const informers = [pods, ...events.values(), agents, ...(clients === undefined ? [] : [clients])];
  return { pods, events, clients, roster, informers };
}

function readingsOf(
  { informers, slots, room, nodeRoom, exposures }: SharedPorts,
  loops: readonly MovementLoop[],
): MovementReadings {
  const interruptions = [
    ...informers.map((each) => each.stats().interruptions),
    ...loops.map((loop) => loop.interruptions()),
  ];
  return {
    phases: loops.flatMap((loop) => loop.phases()),
    slots: { total: slots.max, taken: slots.taken, waiting: slots.waiting },
    exposures: { running: exposures.running, max: exposures.max },
    prepareQueue: { max: Number.isFinite(room.max) ? room.max : 0, waiting: room.waiting + nodeRoom.waiting },
    watchInterruptions: interruptions.reduce((sum, each) => sum + each, 0),
  };
}
