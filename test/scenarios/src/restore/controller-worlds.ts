import { afterEach, expect } from 'vitest';
import { RestoreControllerWorld, type RestoreControllerWorldOptions } from './controller-world.ts';

/** Worlds of a test file. After each test they are ended, and must have left nothing open and no secret in logs or Events. */
export function restoreControllerWorlds() {
  const worlds: RestoreControllerWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      const objects = world.cluster.everything().filter(({ kind }) => kind !== 'Secret');
      const seen = JSON.stringify([world.log.lines, objects]);
      await world.end();
      expect(world.counts.closed).toBe(world.counts.opened);
      expect(seen).not.toContain('SECRET-OF-THE-STORE');
    }
  });
  const empty = (options: RestoreControllerWorldOptions): RestoreControllerWorld => {
    const world = new RestoreControllerWorld(options);
    worlds.push(world);
    return world;
  };
  return {
    /** Without a controller. */
    empty,
    /** With a backup `nightly` and one controller of restores. */
    running: async (options: RestoreControllerWorldOptions): Promise<RestoreControllerWorld> => {
      const world = empty(options);
      await world.backedUp();
      world.startRestores();
      return world;
    },
  };
}
