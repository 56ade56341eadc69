import { type Chaos, chaosFor, partitionFor } from './chaos.ts';
import { type Dice, diceFor } from './dice.ts';

/** How the mover of one attempt ends, unless it is ended before. */
export type MoverFate =
  | 'complete'
  /** Its last Event never reaches the API server; the termination message does. */
  | 'completedEventLost'
  /** The other way round: only the Event arrives. */
  | 'messageLost'
  /** The data cannot be moved, and another attempt cannot help. */
  | 'failed'
  /** The same, before the data path has started. */
  | 'failedEarly'
  | 'outOfMemory'
  | 'killed'
  | 'killedEarly'
  /** Runs for ever and ignores a cancel. */
  | 'deaf'
  /** Completes, and ignores a cancel before that. */
  | 'stubborn';

export type MovementKindName = 'DataUpload' | 'DataDownload' | 'PodVolumeBackup' | 'PodVolumeRestore';

export interface MovementPlan {
  kind: MovementKindName;
  name: string;
  createdAtMs: number;
  block: boolean;
  /** By attempt; later attempts complete. */
  fates: readonly MoverFate[];
  /** How long a mover runs, ms. */
  movesMs: number;
  /** For a volume of a running pod: the node of that pod … */
  node?: string;
  /** … and when it is deleted, if at all. */
  clientGoneAtMs?: number;
  cancelAtMs?: number;
  deleteAtMs?: number;
}

/** Probabilities of the faults of one call. */
export interface CallChances {
  slow: number;
  slowMsMax: number;
  /** Fails without being carried out. */
  refused: number;
  conflict: number;
  /** Fails although it was carried out. */
  answerLost: number;
  /** Per event of a watch. */
  watchBreaks: number;
  watchExpires: number;
  watchRepeats: number;
  watchStalls: number;
}

export interface SimulationPlan {
  seed: number;
  nodes: readonly string[];
  slots: number;
  prepareQueueLength: number;
  exposuresMax: number;
  waitForFirstConsumer: boolean;
  retain: boolean;
  movements: readonly MovementPlan[];
  chaos: readonly Chaos[];
  calls: CallChances;
  /** Longest reaction time of kubelets, storage and movers, ms. */
  reactionMsMax: number;
  /** From this time on no faults occur, and everything has to end. */
  calmAtMs: number;
}

export const noFaults: CallChances = {
  slow: 0,
  slowMsMax: 0,
  refused: 0,
  conflict: 0,
  answerLost: 0,
  watchBreaks: 0,
  watchExpires: 0,
  watchRepeats: 0,
  watchStalls: 0,
};

/** The plan of one seed. Everything else is drawn during the run, from the same seed. */
export function planOf(seed: number): SimulationPlan {
  const dice = diceFor(seed, 'plan');
  const nodes = ['node-1', 'node-2', 'node-3'].slice(0, dice.pick([1, 1, 2, 2, 3]));
  const count = dice.pick([1, 1, 1, 2, 2, 3, 4]);
  const ofSnapshots = Array.from({ length: count }, (_, index) => movementPlan(dice, index));
  const planned = withPodVolumes(diceFor(seed, 'pod-volumes'), ofSnapshots, nodes);
  const partition = partitionFor(diceFor(seed, 'partition'), planned);
  const movements = planned.map((each) => (each.name === partition.victim?.name ? partition.victim : each));
  const chaos = [...chaosFor(dice, nodes, movements), ...partition.chaos].sort((a, b) => a.atMs - b.atMs);
  const ends = chaos.map((each) => each.atMs + ('forMs' in each ? each.forMs : 0));
  const lastMs = Math.max(0, ...ends, ...movements.map((each) => each.createdAtMs));
  return {
    seed,
    nodes,
    slots: dice.pick([1, 1, 1, 2, 3]),
    prepareQueueLength: dice.pick([0, 0, 0, 1, 2]),
    exposuresMax: dice.pick([1, 2, 32]),
    waitForFirstConsumer: dice.chance(0.4),
    retain: dice.chance(0.2),
    movements,
    chaos,
    calls: dice.chance(0.25) ? noFaults : callChances(dice),
    reactionMsMax: dice.pick([20, 300, 1_500, 5_000]),
    calmAtMs: lastMs + 30_000,
  };
}

function movementPlan(dice: Dice, index: number): MovementPlan & { kind: 'DataUpload' | 'DataDownload' } {
  const kind = dice.pick(['DataUpload', 'DataDownload'] as const);
  const cancels = dice.chance(0.15);
  const deletes = dice.chance(0.08);
  const createdAtMs = dice.pick([0, 0, dice.between(0, 20_000)]);
  const momentMs = createdAtMs + dice.pick([dice.between(0, 2_000), dice.between(0, 60_000)]);
  return {
    kind,
    name: `${kind === 'DataUpload' ? 'upload' : 'download'}-${index}`,
    createdAtMs,
    block: dice.chance(0.2),
    fates: fatesFor(dice, cancels || deletes),
    movesMs: dice.pick([0, dice.between(0, 3_000), dice.between(0, 60_000)]),
    ...(cancels ? { cancelAtMs: momentMs } : {}),
    ...(deletes ? { deleteAtMs: momentMs + dice.pick([0, dice.between(0, 10_000)]) } : {}),
  };
}

const ofPods = { DataUpload: 'PodVolumeBackup', DataDownload: 'PodVolumeRestore' } as const;
const podNames = { DataUpload: 'backup', DataDownload: 'restore' } as const;

/** In some seeds half of the movements are of volumes of running pods; the rest of the plan stays the same. */
function withPodVolumes(
  dice: Dice,
  movements: readonly (MovementPlan & { kind: keyof typeof ofPods })[],
  nodes: readonly string[],
): MovementPlan[] {
  if (!dice.chance(0.5)) return [...movements];
  return movements.map((movement, index) => {
    if (!dice.chance(0.6)) return movement;
    const { kind, createdAtMs } = movement;
    const name = `${podNames[kind]}-${index}`;
    const goes = dice.chance(0.15) ? { clientGoneAtMs: createdAtMs + dice.between(0, 60_000) } : {};
    return { ...movement, kind: ofPods[kind], name, block: false, node: dice.pick(nodes), ...goes };
  });
}

function fatesFor(dice: Dice, stops: boolean): MoverFate[] {
  if (stops && dice.chance(0.2)) return ['deaf', 'deaf', 'deaf'];
  const last = dice.pick<MoverFate>(['complete', 'complete', 'complete', 'completedEventLost', 'messageLost']);
  if (dice.chance(0.08)) return [dice.pick<MoverFate>(['failed', 'failedEarly'])];
  const losses = dice.chance(0.25) ? dice.between(1, 4) : 0;
  const lost = Array.from({ length: losses }, () => dice.pick<MoverFate>(['outOfMemory', 'killed', 'killedEarly']));
  return [...lost, last];
}

function callChances(dice: Dice): CallChances {
  const some = (most: number) => (dice.chance(0.5) ? 0 : dice.random.next() * most);
  return {
    slow: some(0.3),
    slowMsMax: dice.pick([50, 1_000, 4_000]),
    refused: some(0.1),
    conflict: some(0.1),
    answerLost: some(0.1),
    watchBreaks: some(0.05),
    watchExpires: some(0.05),
    watchRepeats: some(0.2),
    watchStalls: some(0.05),
  };
}
