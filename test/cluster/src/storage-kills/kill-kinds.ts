import type { Random } from '@lateen/kernel';
import { drawKill, type PlannedKill } from '../kills/kill-plan.ts';

/**
 * Targets of a kill below a replicated volume in use: the storage daemon of a replica, the engine, the pod of both, the program in it that
 * managers call, a manager, nbdfuse, a whole machine, and the network of one.
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

/** Frequency of each kind, in percent. */
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

/** Before each kill the volume is healthy and written to for this time, ms. */
const pauseMs = { min: 500, max: 5_000 } as const;

/**
 * All kills of a run, determined by its seed. The first ones are one of each kind, so that a short run leaves out as few kinds as possible.
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
