import type { Random } from '@lateen/kernel';
import { drawKill, type PlannedKill } from '../kills/kill-plan.ts';

/**
 * What is taken away from a replicated volume in use: the storage daemon of a replica, the engine, the pod that both run in, the program in it that managers
 * ask, a manager, nbdfuse, a whole machine, and the network of one.
 */
export const storageKillKinds = [
  'replica',
  'engine',
  'instance-manager',
  'serve',
  'manager',
  'front-end',
  'node',
  'network',
] as const;
export type StorageKillKind = (typeof storageKillKinds)[number];

/** How often each kind is drawn, in a hundred. */
const weights: Readonly<Record<StorageKillKind, number>> = {
  replica: 20,
  engine: 14,
  'instance-manager': 12,
  serve: 12,
  manager: 12,
  'front-end': 10,
  node: 8,
  network: 12,
};

/** Before each kill the volume is healthy and written to for so long, ms. */
const pauseMs = { min: 500, max: 5_000 } as const;

/**
 * All kills of a run, from its seed alone. As many of the first ones as there are kinds are one of each, so that a short run leaves nothing out that it has
 * room for.
 */
export function planStorageKills(
  random: Random,
  { kills, kinds }: { kills: number; kinds: readonly StorageKillKind[] },
): readonly PlannedKill<StorageKillKind>[] {
  const plan: PlannedKill<StorageKillKind>[] = [];
  for (let left = [...kinds]; plan.length < kills; ) {
    const drawn = drawKill(random, { allowed: left.length === 0 ? kinds : left, weights, pauseMs });
    left = left.filter((kind) => kind !== drawn.kind);
    plan.push(drawn);
  }
  return plan;
}
