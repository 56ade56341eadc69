import { afterEach, expect } from 'vitest';
import { BackupWorld, type BackupWorldOptions } from './backup-world.ts';

/** Worlds of a test file. After each test they are ended, and must have left nothing open and no secret in logs or Events. */
export function backupWorlds() {
  const worlds: BackupWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      const seen = JSON.stringify([
        world.log.lines,
        world.cluster.everything().filter(({ kind }) => kind !== 'Secret'),
      ]);
      await world.end();
      expect(world.counts.closed).toBe(world.counts.opened);
      expect([world.cloud.open, world.native.credentialFiles.files.size]).toEqual([0, 0]);
      expect(seen).not.toContain('SECRET-OF-THE-STORE');
    }
  });
  const make = (options: BackupWorldOptions = {}): BackupWorld => {
    const world = new BackupWorld(options);
    worlds.push(world);
    return world;
  };
  return {
    /** Without a controller. */
    empty: make,
    /** With one controller. */
    running: (options: BackupWorldOptions = {}): BackupWorld => {
      const world = make(options);
      world.start();
      return world;
    },
  };
}
