import { type ModelRules, ModelWorld } from './model-world.ts';

export type Step = (world: ModelWorld) => void;

/** Each step, and what must hold after it. */
export function take(world: ModelWorld, steps: readonly Step[]): void {
  for (const each of steps) {
    each(world);
    world.check();
  }
}

/** Passes until nobody changes anything any more, or for so long that this does not come. */
export function settle(world: ModelWorld): boolean {
  for (let round = 0; round < 400; round++) {
    const before = world.changes;
    world.loseKilled();
    world.finishComparison();
    world.finishRebuild();
    world.passAll();
    world.check();
    if (world.changes === before) {
      // What waits for a time gets it.
      world.nowMs += 700_000;
      world.passAll();
      if (world.changes === before) return true;
    }
  }
  return false;
}

/** Attached to n1 with three replicas. */
export function begun(rules: Partial<ModelRules> = {}): ModelWorld {
  const world = new ModelWorld(rules);
  settle(world);
  world.want('n1');
  settle(world);
  return world;
}
