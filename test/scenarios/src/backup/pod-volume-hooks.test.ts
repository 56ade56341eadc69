import { backupType } from '@lateen/api-types';
import { keyText } from '@lateen/kube';
import { aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { aReadPod, claimVolume, emptyDir, ofShop, podVolumeWorlds } from './pod-volume-world.ts';

/* A pod that a hook freezes stays frozen until all its volumes are read. */

const worlds = backupWorlds();
const podVolumeWorld = podVolumeWorlds(worlds);

const annotations = {
  'pre.hook.backup.velero.io/command': '["freeze"]',
  'post.hook.backup.velero.io/command': '["thaw"]',
};
const frozenPod = (name: string, ...volumes: Parameters<typeof aReadPod>[1]) =>
  aReadPod(name, volumes, {
    annotations: { 'backup.velero.io/backup-volumes': volumes.map((v) => v.name).join(), ...annotations },
  });

/** Pods that are frozen now, sorted. */
function freezing(...args: Parameters<typeof podVolumeWorld>) {
  const made = podVolumeWorld(...args);
  const frozen = new Set<string>();
  made.world.cluster.podExec.play(({ pod, command: [program] }) => {
    if (program === 'freeze') frozen.add(keyText(pod));
    else frozen.delete(keyText(pod));
    return 0;
  });
  return { ...made, frozen: () => [...frozen].sort() };
}

describe('a pod with hooks', () => {
  it('is frozen until all volumes of its block are read, and no longer', async () => {
    const { world, volumes, frozen } = freezing([
      aPersistentVolumeClaim({ namespace: 'shop' }),
      frozenPod('db', claimVolume('data'), emptyDir('wal')),
      // The claim puts both pods into one block, so its volume is read while the pod is frozen.
      aReadPod('reader', [claimVolume('data'), emptyDir('cache')]),
      aReadPod('other', [emptyDir('cache')]),
    ]);
    await world.create('b', ofShop);
    const ofData = volumes.names().find((name) => name.endsWith('/data')) ?? '';
    expect(volumes.names().filter((name) => name !== ofData)).toEqual(['db/wal', 'other/cache', 'reader/cache']);
    expect(frozen()).toEqual(['shop/db']);
    // Node-agents read volumes that a frozen pod waits for before others.
    const first = volumes.all().filter(({ metadata }) => metadata.annotations?.['lateen.dev/pod-is-held'] === 'true');
    expect(first.map(({ spec }) => spec.volume).sort()).toEqual(['cache', ofData.split('/')[1], 'wal']);
    expect(volumes.find('other/cache').metadata.annotations).toBeUndefined();
    await volumes.complete(ofData);
    await volumes.complete('db/wal');
    expect(frozen()).toEqual(['shop/db']);
    await volumes.complete('reader/cache');
    // All volumes of its block are read; the backup still waits for the volume of another pod.
    expect([frozen(), world.phase('b')]).toEqual([[], 'InProgress']);
    await volumes.complete('other/cache');
    expect((await world.until('b', 'Completed')).status?.hookStatus).toEqual({ hooksAttempted: 2, hooksFailed: 0 });
  });

  it('delays no pod without hooks, however many pods wait for their volumes', async () => {
    const pods = Array.from({ length: 12 }, (_, at) => frozenPod(`db-${at}`, emptyDir('wal')));
    const others = Array.from({ length: 12 }, (_, at) => aReadPod(`web-${at}`, [claimVolume('cache', `cache-${at}`)]));
    const claims = others.map((_, at) => aPersistentVolumeClaim({ name: `cache-${at}`, namespace: 'shop' }));
    const { world, volumes, frozen } = freezing([...claims, ...pods, ...others], { settings: { itemBlockWorkers: 2 } });
    await world.create('b', ofShop);
    expect(volumes.names().filter((name) => name.startsWith('web'))).toHaveLength(12);
    // No more pods are frozen at once than blocks are processed.
    expect(frozen()).toHaveLength(8);
    for (let at = 0; at < 12; at++) {
      const [name] = volumes
        .all()
        .filter(({ spec, status }) => spec.pod.name?.startsWith('db') && status === undefined);
      await volumes.complete(`${name?.spec.pod.name}/wal`);
    }
    expect(frozen()).toEqual([]);
  });

  it('is thawed when a volume fails, and when the timeout for pod volumes ends', async () => {
    const { world, volumes, frozen } = freezing([frozenPod('a', emptyDir('wal')), frozenPod('b', emptyDir('wal'))]);
    await world.create('b', ofShop);
    expect(frozen()).toEqual(['shop/a', 'shop/b']);
    await volumes.write('a/wal', { phase: 'Failed', message: 'broken' });
    expect(frozen()).toEqual(['shop/b']);
    await world.clock.advance(4 * 3_600_000);
    await world.work();
    await volumes.write('b/wal', { phase: 'Canceled' });
    expect(frozen()).toEqual([]);
    await world.until('b', 'PartiallyFailed');
  });

  it.each(['cancelled', 'deleted'])('is thawed immediately when the backup is %s', async (how) => {
    const { world, volumes, frozen } = freezing([frozenPod('db', emptyDir('wal'))]);
    await world.create('b', ofShop);
    const key = { namespace, name: 'b' };
    if (how === 'deleted') await world.cluster.delete(backupType, key);
    else await world.cluster.patch(backupType, key, { type: 'merge', body: { spec: { cancel: true } } });
    await world.work();
    expect([frozen(), volumes.all()]).toEqual([[], []]);
  });

  it('is thawed by the next controller, after the reads of its volumes have ended', async () => {
    const { world, volumes, frozen } = freezing([frozenPod('db', emptyDir('wal'))], { start: false });
    const first = world.start();
    await world.create('b', ofShop);
    expect(frozen()).toEqual(['shop/db']);
    await first.stop();
    world.start();
    await world.until('b', 'Failed');
    expect([frozen(), volumes.all()]).toEqual([[], []]);
  });

  it('that has only pre hooks is not waited for', async () => {
    const { 'post.hook.backup.velero.io/command': _, ...before } = annotations;
    const pod = aReadPod('db', [emptyDir('wal')], {
      annotations: { 'backup.velero.io/backup-volumes': 'wal', ...before },
    });
    const { world, volumes } = freezing([pod, aReadPod('other', [emptyDir('cache')])]);
    await world.create('b', ofShop);
    expect(volumes.names()).toEqual(['db/wal', 'other/cache']);
    for (const name of volumes.names()) await volumes.complete(name);
    await world.until('b', 'Completed');
  });
});
