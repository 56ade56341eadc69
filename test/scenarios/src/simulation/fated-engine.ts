import type { DataPathProgress, Uploader } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { Dice } from './dice.ts';
import type { Ledger, RunningMover } from './ledger.ts';
import type { MovementPlan, MoverFate } from './plan.ts';

const totalBytes = 1_000_000;
const incrementalBytes = 1_000;
const deafStepMs = 10_000;
const stepsMax = 5;
/** Time from SIGINT until it ends. */
const stopMsMax = 3_000;

/** One run of an engine. */
export interface Move {
  clock: Clock;
  dice: Dice;
  ledger: Ledger;
  plan: MovementPlan;
  fate: MoverFate;
  me: RunningMover;
  /** Aborts when the process dies, and the engine with it. */
  dead: AbortSignal;
  /** Called with the snapshot ID when all bytes are stored. */
  completed(): string;
  violated(text: string): void;
}

interface Request {
  onProgress(progress: DataPathProgress): void;
  signal: AbortSignal;
}

/** An engine that moves data as planned and ends as its fate says; `kill` ends the whole container. */
export function fatedEngine(move: Move, kill: () => void): Uploader {
  const run = async (request: Request): Promise<string> => {
    const { me, ledger, plan } = move;
    // Two readers of one copy are harmless; every attempt of a restore writes the same volume.
    const isWriter = plan.kind === 'DataDownload' || plan.kind === 'PodVolumeRestore';
    if (isWriter && ledger.writerOf(me.movementUid)) move.violated(`two movers write the volume of ${plan.name}`);
    me.moving = true;
    ledger.begun += 1;
    try {
      return await steps(move, request, kill);
    } finally {
      me.moving = false;
    }
  };
  return {
    upload: async (request) => ({ snapshotID: await run(request), totalBytes, incrementalBytes }),
    download: async (request) => {
      await run(request);
      return { totalBytes };
    },
  };
}

async function steps(move: Move, request: Request, kill: () => void): Promise<string> {
  const { clock, dice, plan, fate, dead, ledger, me } = move;
  const count = dice.between(1, stepsMax);
  const dies = fate === 'outOfMemory' || fate === 'killed';
  const last = dies ? dice.between(0, count) : count;
  const isDeaf = fate === 'deaf' || fate === 'stubborn';
  const heard = isDeaf ? dead : AbortSignal.any([dead, request.signal]);
  for (let step = 1; fate === 'deaf' || step <= last; step++) {
    const moved = await clock.sleep(fate === 'deaf' ? deafStepMs : Math.round(plan.movesMs / count), heard).then(
      () => true,
      () => false,
    );
    dead.throwIfAborted();
    if (!moved) {
      await clock.sleep(dice.between(0, stopMsMax), dead);
      throw request.signal.reason;
    }
    request.onProgress({ totalBytes, doneBytes: Math.min(Math.floor((totalBytes * step) / (count + 1)), totalBytes) });
  }
  if (dies) {
    kill();
    dead.throwIfAborted();
  }
  if (fate === 'failed') {
    ledger.dataFaults.add(me.movementUid);
    throw new AppError('UPLOADER_FAILED', 'permission denied');
  }
  return move.completed();
}
