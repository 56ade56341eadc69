import type { Dice } from './dice.ts';
import type { MovementPlan, MoverFate } from './plan.ts';

/** A fault at a given time. */
export type Chaos = { atMs: number } & (
  | { what: 'kill-agent'; node: string; downMs: number }
  /** As in a rollout: the agent is told to stop, and its successor starts. */
  | { what: 'stop-agent'; node: string; downMs: number }
  /** The next process of that node dies at its n-th call, before the server gets it or after. */
  | { what: 'kill-agent-at-call'; node: string; call: number; when: 'before' | 'after'; downMs: number }
  /** Power off. `downMs` undefined: for good. */
  | { what: 'lose-node'; node: string; downMs: number | undefined }
  | { what: 'delete-pod' | 'evict-pod' | 'touch'; movement: string }
  /** The node of the movement's pod is cut off: it receives nothing, and everything on it continues. */
  | { what: 'cut-node'; movement: string; forMs: number }
  /** Only the movement's pod is cut off, and its kubelet cannot end it. */
  | { what: 'cut-pod'; movement: string; forMs: number }
  | { what: 'break-watches' | 'compact' | 'bookmark' }
);

/** Number of faults in a seed. */
const blows = [0, 0, 1, 1, 1, 2, 3, 5, 8];
const chaosMsMax = 90_000;

export function chaosFor(dice: Dice, nodes: readonly string[], movements: readonly { name: string }[]): Chaos[] {
  const count = dice.pick(blows);
  const chaos = Array.from({ length: count }, () => blow(dice, nodes, movements));
  if (nodes.length > 1 && dice.chance(0.06)) {
    const node = dice.pick(nodes.slice(1));
    chaos.push({ atMs: dice.between(0, chaosMsMax), what: 'lose-node', node, downMs: undefined });
  }
  return chaos.sort((a, b) => a.atMs - b.atMs);
}

function blow(dice: Dice, nodes: readonly string[], movements: readonly { name: string }[]): Chaos {
  const atMs = dice.pick([dice.between(0, 5_000), dice.between(0, chaosMsMax)]);
  const node = dice.pick(nodes);
  const downMs = dice.pick([0, dice.between(0, 10_000), dice.between(0, 120_000)]);
  const movement = dice.pick(movements).name;
  const roll = dice.between(1, 100);
  if (roll <= 15) return { atMs, what: 'kill-agent', node, downMs };
  if (roll <= 40) {
    const when = dice.pick(['before', 'after'] as const);
    return { atMs, what: 'kill-agent-at-call', node, call: dice.between(0, 60), when, downMs };
  }
  if (roll <= 48) return { atMs, what: 'stop-agent', node, downMs };
  if (roll <= 54) return { atMs, what: 'lose-node', node, downMs: downMs + dice.between(5_000, 400_000) };
  if (roll <= 64) return { atMs, what: 'delete-pod', movement };
  if (roll <= 72) return { atMs, what: 'evict-pod', movement };
  if (roll <= 82) return { atMs, what: 'touch', movement };
  if (roll <= 92) return { atMs, what: 'break-watches' };
  return { atMs, what: dice.pick(['compact', 'bookmark'] as const) };
}

/** Below the operation timeout of movements (10 min): an exposure that sees nothing for that long fails its movement. */
const cutMsMax = 560_000;

/** A cut network, and the movement whose mover is behind it: it runs for long, and may ignore a cancel. */
export function partitionFor<T extends MovementPlan>(
  dice: Dice,
  movements: readonly T[],
): { chaos: Chaos[]; victim?: T } {
  if (!dice.chance(0.15)) return { chaos: [] };
  const restores = movements.filter(({ kind }) => kind === 'DataDownload' || kind === 'PodVolumeRestore');
  const chosen = dice.pick(restores.length > 0 ? restores : movements);
  const fates: MoverFate[] = [dice.pick(['complete', 'complete', 'stubborn'] as const), 'complete'];
  const victim = { ...chosen, fates, movesMs: dice.between(60_000, 900_000) };
  const atMs = victim.createdAtMs + dice.between(5_000, 60_000);
  const forMs = dice.pick([
    dice.between(10_000, 100_000),
    dice.between(100_000, 400_000),
    dice.between(400_000, cutMsMax),
  ]);
  const movement = victim.name;
  const chaos: Chaos[] = [{ atMs, what: dice.pick(['cut-node', 'cut-pod'] as const), movement, forMs }];
  if (dice.chance(0.7)) chaos.push({ atMs: atMs + dice.between(0, forMs), what: 'delete-pod', movement });
  return { chaos, victim };
}
