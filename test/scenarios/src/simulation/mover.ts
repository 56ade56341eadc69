import {
  type DataDownload,
  type DataUpload,
  dataPathReasons,
  type Pod,
  persistentVolumeClaimType,
} from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';
import { runMoverProcess } from '../world/mover-process.ts';
import type { Dice } from './dice.ts';
import { fatedEngine, type Move } from './fated-engine.ts';
import type { Ledger, RunningMover } from './ledger.ts';
import type { MovementPlan, MoverFate } from './plan.ts';

type Movement = DataUpload | DataDownload;

export interface MoverPorts {
  cluster: FakeCluster;
  /** The API as this process has it. */
  kube: KubeApi;
  clock: Clock;
  dice: Dice;
  ledger: Ledger;
  plan: MovementPlan;
  fate: MoverFate;
  reactionMsMax: number;
  /** The process ends without a word: nothing of it comes through any more. */
  die(): void;
  /** A violation: something that must never be. */
  violated(text: string): void;
}

/** The mover of one hosting pod, until it ends or is dead: the loop of the product, with an engine that meets its fate. */
export async function runMover(ports: MoverPorts, pod: Pod, movement: Movement, dead: AbortSignal): Promise<void> {
  const { ledger } = ports;
  const me: RunningMover = {
    podUid: pod.metadata.uid ?? '',
    movementUid: movement.metadata.uid ?? '',
    node: pod.spec.nodeName ?? '',
    moving: false,
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
  const { cluster, kube, clock, dice, ledger, fate, plan, reactionMsMax } = ports;
  const react = () => clock.sleep(dice.between(0, reactionMsMax), dead);
  await react();
  if (fate === 'killedEarly') return kill(ports, pod, me.movementUid);
  if (fate === 'failedEarly') {
    ledger.dataFaults.add(me.movementUid);
    const text = `Failed to run data path service for ${movement.kind} ${movement.metadata.name}: no such flag`;
    cluster.setPodPhase(keyOf(pod), 'Failed', { terminationMessage: text });
    return;
  }
  const move: Move = { ...ports, dead, me, completed: () => noteCompleted(ports, movement, me) };
  const process = {
    pod,
    movement,
    volumeMode: plan.block ? ('Block' as const) : ('Filesystem' as const),
    kube,
    clock,
    random: dice.random,
    engine: fatedEngine(move, () => kill(ports, pod, me.movementUid)),
    tells: (reason: string) => fate !== 'completedEventLost' || reason !== dataPathReasons.completed,
  };
  const { exitCode, terminationMessage } = await runMoverProcess(process, dead);
  if (dead.aborted) return;
  await react();
  cluster.setPodPhase(keyOf(pod), exitCode === 0 ? 'Succeeded' : 'Failed', {
    ...(fate === 'messageLost' ? {} : { terminationMessage }),
  });
}

/** All bytes are where they belong. */
function noteCompleted({ cluster, dice, ledger }: MoverPorts, movement: Movement, me: RunningMover): string {
  const snapshotID = dice.random.uuid().replaceAll('-', '');
  if (movement.kind === 'DataUpload') ledger.save(me.movementUid, snapshotID);
  else ledger.filled.add(cluster.find(persistentVolumeClaimType, keyOf(movement))?.spec.volumeName ?? '');
  // Nothing of it holds the slot any more: what is left is to say so.
  ledger.running.delete(me.podUid);
  return snapshotID;
}

function kill({ cluster, ledger, fate, die }: MoverPorts, pod: Pod, movementUid: string): void {
  die();
  ledger.lose(movementUid);
  const containerReason = fate === 'outOfMemory' ? 'OOMKilled' : 'Error';
  cluster.setPodPhase(keyOf(pod), 'Failed', { exitCode: 137, containerReason });
}
