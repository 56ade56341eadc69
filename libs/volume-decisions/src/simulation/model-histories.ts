import { type ModelRules, ModelWorld } from './model-world.ts';

export type Step = (world: ModelWorld) => void;

/** Runs each step, and checks the invariants after it. */
export function take(world: ModelWorld, steps: readonly Step[]): void {
  for (const each of steps) {
    each(world);
    world.check();
  }
}

/** Runs passes until no pass changes anything; false when this does not happen within the limit. */
export function settle(world: ModelWorld): boolean {
  for (let round = 0; round < 400; round++) {
    const before = world.changes;
    world.loseKilled();
    world.finishComparison();
    world.finishRebuild();
    world.passAll();
    world.check();
    if (world.changes === before) {
      // Timers expire.
      world.nowMs += 700_000;
      world.passAll();
      if (world.changes === before) return true;
    }
  }
  return false;
}

/** A volume that is attached to n1, with three replicas. */
export function begun(rules: Partial<ModelRules> = {}): ModelWorld {
  const world = new ModelWorld(rules);
  settle(world);
  world.want('n1');
  settle(world);
  return world;
}
