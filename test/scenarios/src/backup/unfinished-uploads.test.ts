import { AppError } from '@lateen/errors';
import { afterEach, describe, expect, it } from 'vitest';
import { aBackup, BackupWorld } from './backup-world.ts';

const worlds: BackupWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

/** A backup whose controller died: half of its archive is uploaded, and half of another backup's. */
function abandoned(): BackupWorld {
  const backup = aBackup('nightly', { storageLocation: 'default' }, { phase: 'InProgress' });
  const world = new BackupWorld({ objects: [backup] });
  worlds.push(world);
  for (const key of ['backups/nightly/nightly.tar.gz', 'backups/nightly/nightly-logs.gz', 'backups/other/other.tar.gz'])
    world.bucket.abandonWrite(key);
  // What was stored before it died.
  world.bucket.objects.set('backups/nightly/nightly-results.gz', new Uint8Array());
  return world;
}

describe('unfinished uploads of a backup whose controller died', () => {
  it('are ended, and those of other backups are kept', async () => {
    const world = abandoned();
    world.start();
    const backup = await world.until('nightly', 'Failed');
    expect(backup.status?.failureReason).toContain('during the server starting');
    expect(world.bucket.unfinishedWrites()).toEqual(['backups/other/other.tar.gz']);
    expect([...world.bucket.objects.keys()]).toEqual([]);
  });

  it('do not keep the backup from ending when they may not be ended', async () => {
    const refused = new AppError('OBJECT_STORE_FORBIDDEN', 'may not list uploads');
    const world = abandoned();
    world.store.add({ on: 'endAbandonedWrites', fault: { fail: refused } });
    world.start();
    await world.until('nightly', 'Failed');
    expect([...world.bucket.objects.keys()]).toEqual([]);
    expect(world.log.messages('warn')).toContain('unfinished uploads of a backup cannot be ended');
  });
});
