import { dataPathReasons, type Pod, persistentVolumeClaimType, podType } from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import { type FenceLimits, interruptedSuffix } from '@lateen/datapath';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import type { FakeCluster, PodEnd } from '@lateen/testing';
import { runMoverProcess } from '../world/mover-process.ts';
import type { Dice } from './dice.ts';
import { fatedEngine, type Move } from './fated-engine.ts';
import type { Ledger, RunningMover } from './ledger.ts';
import type { ProcessNetwork } from './network.ts';
import type { MovementPlan, MoverFate } from './plan.ts';

export interface MoverPorts {
  cluster: FakeCluster;
  /** The API as this process sees it. */
  kube: KubeApi;
  clock: Clock;
  dice: Dice;
  ledger: Ledger;
  plan: MovementPlan;
  fate: MoverFate;
  reactionMsMax: number;
  /** The call of the kubelet that reports how the process has ended. */
  kubelet: ProcessNetwork;
  fenceLimits?: Partial<FenceLimits> | undefined;
  /** The process ends without a report: none of its calls is carried out any more. */
  die(): void;
  /** A violation of a rule. */
  violated(text: string): void;
}

/** The mover of one hosting pod until it ends or dies: the loop of the product, with an engine whose fate is planned. */
export async function runMover(ports: MoverPorts, pod: Pod, movement: Movement, dead: AbortSignal): Promise<void> {
  const { ledger } = ports;
  const me: RunningMover = {
    podUid: pod.metadata.uid ?? '',
    movementUid: movement.metadata.uid ?? '',
    node: pod.spec.nodeName ?? '',
    moving: false,
    hasPod: true,
  };
  ledger.running.set(me.podUid, me);
  try {
    await live(ports, pod, movement, me, dead);
  } catch (error) {
    if (!dead.aborted) throw error;
  } finally {
    ledger.running.delete(me.podUid);
  }
}

async function live(ports: MoverPorts, pod: Pod, movement: Movement, me: RunningMover, dead: AbortSignal) {
  const { kube, clock, dice, ledger, fate, plan, reactionMsMax } = ports;
  const react = () => clock.sleep(dice.between(0, reactionMsMax), dead);
  await react();
  if (fate === 'killedEarly') return await kill(ports, pod, me.movementUid);
  if (fate === 'failedEarly') {
    ledger.dataFaults.add(me.movementUid);
    const text = `Failed to run data path service for ${movement.kind} ${movement.metadata.name}: no such flag`;
    return await ends(ports, pod, 'Failed', { terminationMessage: text });
  }
  const move: Move = { ...ports, dead, me, completed: () => noteCompleted(ports, movement, me) };
  const process = {
    pod,
    movement,
    volumeMode: plan.block ? ('Block' as const) : ('Filesystem' as const),
    kube,
    clock,
    random: dice.random,
    engine: fatedEngine(move, () => void kill(ports, pod, me.movementUid)),
    fenceLimits: ports.fenceLimits,
    tells: (reason: string) => fate !== 'completedEventLost' || reason !== dataPathReasons.completed,
  };
  const { exitCode, terminationMessage } = await runMoverProcess(process, dead);
  if (dead.aborted) return;
  // The container ends with its first process, even if others were running.
  ports.die();
  if (terminationMessage.endsWith(interruptedSuffix)) ledger.lose(me.movementUid);
  await clock.sleep(dice.between(0, reactionMsMax));
  const end = fate === 'messageLost' ? {} : { terminationMessage };
  await ends(ports, pod, exitCode === 0 ? 'Succeeded' : 'Failed', end);
}

/** The kubelet's report about the pod; written when it can reach the API server, and only if the pod still exists. */
async function ends({ cluster, kubelet }: MoverPorts, pod: Pod, phase: 'Succeeded' | 'Failed', end: PodEnd) {
  if (kubelet.isCut()) await kubelet.whole();
  if (cluster.find(podType, keyOf(pod))?.metadata.uid === pod.metadata.uid) cluster.setPodPhase(keyOf(pod), phase, end);
}

/** All bytes are stored. */
function noteCompleted({ cluster, dice, ledger }: MoverPorts, movement: Movement, me: RunningMover): string {
  const snapshotID = dice.random.uuid().replaceAll('-', '');
  const { name = '' } = movement.metadata;
  switch (movement.kind) {
    case 'PodVolumeBackup':
      if (ledger.clientsGone.has(name)) ledger.hollow.add(me.movementUid);
      ledger.save(me.movementUid, snapshotID);
      break;
    case 'DataUpload':
      ledger.save(me.movementUid, snapshotID);
      break;
    case 'PodVolumeRestore':
      ledger.restored.add(me.movementUid);
      break;
    default:
      ledger.filled.add(cluster.find(persistentVolumeClaimType, keyOf(movement))?.spec.volumeName ?? '');
  }
  // The slot is free: only the report is left to be written.
  ledger.running.delete(me.podUid);
  return snapshotID;
}

async function kill(ports: MoverPorts, pod: Pod, movementUid: string): Promise<void> {
  const { ledger, fate, die } = ports;
  die();
  ledger.lose(movementUid);
  const containerReason = fate === 'outOfMemory' ? 'OOMKilled' : 'Error';
  await ends(ports, pod, 'Failed', { exitCode: 137, containerReason });
}
