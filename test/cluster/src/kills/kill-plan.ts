import type { Random } from '@lateen/kernel';

/** What is killed while a movement runs. */
export const killKinds = ['mover', 'engine', 'pod', 'agent', 'agent-pod', 'node'] as const;
export type KillKind = (typeof killKinds)[number];

/** Frequency of each kind, in percent. */
const weights: Readonly<Record<KillKind, number>> = {
  mover: 28,
  engine: 28,
  pod: 22,
  agent: 10,
  'agent-pod': 7,
  node: 5,
};

/** Kills that cost the movement one of its attempts. */
export const costsAttempt: Readonly<Record<KillKind, boolean>> = {
  mover: true,
  engine: true,
  pod: true,
  agent: false,
  'agent-pod': false,
  node: true,
};

/** Pauses between kills, ms: long enough for work to start, short enough to hit every part of it. */
const pauseMs = { min: 200, max: 2_500 } as const;

export interface PlannedKill<Kind extends string = KillKind> {
  kind: Kind;
  pauseMs: number;
  /** In [0, 1): selects the target among the possible ones. */
  which: number;
}

/** The next kill; the same seed draws the same kills. */
export const planKill = (random: Random, allowed: readonly KillKind[]): PlannedKill =>
  drawKill(random, { allowed, weights, pauseMs });

export interface KillTable<Kind extends string> {
  allowed: readonly Kind[];
  /** Frequency of each kind, relative to the others. */
  weights: Readonly<Record<Kind, number>>;
  pauseMs: { readonly min: number; readonly max: number };
}

export function drawKill<Kind extends string>(random: Random, table: KillTable<Kind>): PlannedKill<Kind> {
  const { allowed, weights: weightOf, pauseMs: pause } = table;
  const ticket = random.next() * allowed.reduce((sum, each) => sum + weightOf[each], 0);
  const upTo = (at: number) => allowed.slice(0, at + 1).reduce((sum, each) => sum + weightOf[each], 0);
  const kind = allowed.find((_, at) => ticket < upTo(at)) ?? allowed[0];
  if (kind === undefined) throw new Error('nothing may be killed');
  const drawnMs = pause.min + random.next() * (pause.max - pause.min);
  return { kind, pauseMs: Math.round(drawnMs), which: random.next() };
}
