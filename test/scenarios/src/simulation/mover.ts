import {
  type CoreEvent,
  type DataDownload,
  type DataUpload,
  dataPathReasons,
  type Pod,
  persistentVolumeClaimType,
} from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';
import type { Dice } from './dice.ts';
import type { Ledger, RunningMover } from './ledger.ts';
import type { MovementPlan, MoverFate } from './plan.ts';

export interface MoverPorts {
  cluster: FakeCluster;
  clock: Clock;
  dice: Dice;
  ledger: Ledger;
  plan: MovementPlan;
  fate: MoverFate;
  reactionMsMax: number;
  /** The movement as it is now; undefined when it is gone. */
  movement(): DataUpload | DataDownload | undefined;
  /** Resolves when the movement has changed. */
  changed(signal: AbortSignal): Promise<void>;
  /** A violation: something that must never be. */
  violated(text: string): void;
}

const totalBytes = 1_000_000;
const deafStepMs = 10_000;
const stepsMax = 5;

type Movement = DataUpload | DataDownload;

/** The mover of one hosting pod, until it ends or `signal` ends it. It does to the data only what InProgress allows. */
export async function runMover(ports: MoverPorts, pod: Pod, signal: AbortSignal): Promise<void> {
  const { clock, dice, ledger, fate, reactionMsMax } = ports;
  const first = ports.movement();
  if (first === undefined) return;
  const uid = first.metadata.uid ?? '';
  const me: RunningMover = {
    podUid: pod.metadata.uid ?? '',
    movementUid: uid,
    node: pod.spec.nodeName ?? '',
    moving: false,
  };
  ledger.running.set(me.podUid, me);
  const react = () => clock.sleep(dice.between(0, reactionMsMax), signal);
  try {
    await react();
    if (fate === 'failedEarly') {
      ledger.dataFaults.add(uid);
      end(ports, pod, first, 'Failed', 'repository is not ready');
      return;
    }
    if (fate === 'killedEarly') {
      kill(ports, pod, uid);
      return;
    }
    while (!mayMove(ports.movement(), uid)) await ports.changed(signal);
    await react();
    if (mayMove(ports.movement(), uid)) await move(ports, pod, first, me, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    ledger.running.delete(me.podUid);
  }
}

function mayMove(movement: Movement | undefined, uid: string): boolean {
  const phase = movement?.metadata.uid === uid ? movement.status?.phase : undefined;
  return phase === 'InProgress' || phase === 'Canceling';
}

async function move(
  ports: MoverPorts,
  pod: Pod,
  movement: Movement,
  me: RunningMover,
  signal: AbortSignal,
): Promise<void> {
  const { clock, dice, ledger, plan, fate } = ports;
  const others = ledger.runningOf(me.movementUid).filter((each) => each !== me && each.moving);
  if (others.length > 0) ports.violated(`two movers move the volume of ${movement.metadata.name} at the same time`);
  me.moving = true;
  ledger.begun += 1;
  const name = movement.metadata.name ?? '';
  tell(ports, pod, movement, dataPathReasons.started, `Data path for ${name} started`);
  const steps = dice.between(1, stepsMax);
  const dies = fate === 'outOfMemory' || fate === 'killed';
  const lastStep = dies ? dice.between(0, steps) : steps;
  for (let step = 1; fate === 'deaf' || step <= lastStep; step++) {
    await clock.sleep(fate === 'deaf' ? deafStepMs : plan.movesMs / steps, signal);
    if (ports.movement()?.spec.cancel === true && fate !== 'deaf') {
      cancel(ports, pod, movement);
      return;
    }
    const doneBytes = Math.min(Math.floor((totalBytes * step) / (steps + 1)), totalBytes);
    tell(ports, pod, movement, dataPathReasons.progress, JSON.stringify({ totalBytes, doneBytes }));
  }
  if (dies) {
    kill(ports, pod, me.movementUid);
    return;
  }
  if (fate === 'failed') {
    ledger.dataFaults.add(me.movementUid);
    const text = 'permission denied';
    tell(ports, pod, movement, dataPathReasons.failed, `Data path for ${name} failed, error ${text}`);
    end(ports, pod, movement, 'Failed', text);
    return;
  }
  await complete(ports, pod, movement, me, signal);
}

async function complete(
  ports: MoverPorts,
  pod: Pod,
  movement: Movement,
  me: RunningMover,
  signal: AbortSignal,
): Promise<void> {
  const { clock, cluster, dice, ledger, fate, reactionMsMax } = ports;
  const place = { byPath: `/${me.movementUid}`, volumeMode: ports.plan.block ? 'Block' : 'Filesystem' };
  let result: object;
  if (movement.kind === 'DataUpload') {
    const snapshotID = dice.random.uuid().replaceAll('-', '');
    ledger.save(me.movementUid, snapshotID);
    result = { snapshotID, emptySnapshot: false, source: place, totalBytes, incrementalBytes: 1_000 };
  } else {
    const claim = cluster.find(persistentVolumeClaimType, keyOf(movement));
    ledger.filled.add(claim?.spec.volumeName ?? '');
    result = { target: place, totalBytes };
  }
  me.moving = false;
  ledger.running.delete(me.podUid);
  const text = JSON.stringify(result);
  if (fate !== 'completedEventLost') tell(ports, pod, movement, dataPathReasons.completed, text);
  await clock.sleep(dice.between(0, reactionMsMax), signal);
  tell(ports, pod, movement, dataPathReasons.stopped, `Data path for ${movement.metadata.name} stopped`);
  const message = fate === 'messageLost' ? {} : { terminationMessage: text };
  cluster.setPodPhase(keyOf(pod), 'Succeeded', message);
}

function cancel(ports: MoverPorts, pod: Pod, movement: Movement): void {
  tell(ports, pod, movement, dataPathReasons.canceled, `Data path for ${movement.metadata.name} canceled`);
  end(ports, pod, movement, 'Failed', 'data path is canceled');
}

function end(ports: MoverPorts, pod: Pod, movement: Movement, phase: 'Failed', why: string): void {
  const terminationMessage = `Failed to run data path service for ${movement.kind} ${movement.metadata.name}: ${why}`;
  ports.cluster.setPodPhase(keyOf(pod), phase, { terminationMessage });
}

function kill({ cluster, ledger, fate }: MoverPorts, pod: Pod, movementUid: string): void {
  ledger.lose(movementUid);
  const containerReason = fate === 'outOfMemory' ? 'OOMKilled' : 'Error';
  cluster.setPodPhase(keyOf(pod), 'Failed', { exitCode: 137, containerReason });
}

/** One Event object per pod and reason, patched, as our recorder does it. */
function tell({ cluster, clock }: MoverPorts, pod: Pod, movement: Movement, reason: string, message: string): void {
  const { namespace = '', name = '', uid = '' } = movement.metadata;
  const podUid = pod.metadata.uid ?? '';
  const event: CoreEvent = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${name}.${podUid.slice(0, 8)}.${reason.toLowerCase()}` },
    involvedObject: { apiVersion: movement.apiVersion, kind: movement.kind, namespace, name, uid },
    related: { apiVersion: 'v1', kind: 'Pod', namespace, name: pod.metadata.name ?? '', uid: podUid },
    reason,
    message,
    lastTimestamp: new Date(clock.now()).toISOString(),
    type: 'Normal',
  };
  cluster.put(event);
}
