import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import type { PluginWorld } from '../plugin-world.ts';
import { never } from './items.ts';

const call = { signal: never };
const provider = 'fixture.lateen.dev/volumes';
const location = { plugin: 'fixture.lateen.dev/store', bucket: 'b', prefix: '', config: {} };

const aVolume = (driver = 'fixture.lateen.dev') => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv-1' },
  spec: { csi: { driver, volumeHandle: 'vol-1' }, capacity: { storage: '1Gi' } },
});

/** VolumeSnapshotter and ObjectStore. */
export function describeStorage(world: () => PluginWorld): void {
  describe('a snapshotter of volumes', () => {
    it('takes, restores and deletes snapshots', async () => {
      const { host, folder: root } = world();
      const snapshotter = await host.snapshotterFor(provider, never);
      await snapshotter.init({ root }, call);
      expect(await snapshotter.getVolumeID(aVolume(), call)).toBe('vol-1');
      expect(await snapshotter.getVolumeID(aVolume('other.io'), call)).toBeUndefined();
      expect(await snapshotter.getVolumeInfo('vol-1', 'a', call)).toEqual({ type: 'fast', iops: 100 });
      expect(await snapshotter.createSnapshot('vol-1', 'a', { app: 'shop' }, call)).toBe('snap-vol-1');
      expect(JSON.parse(await readFile(join(root, 'snap-vol-1'), 'utf8'))).toEqual({
        volumeID: 'vol-1',
        volumeAZ: 'a',
        tags: { app: 'shop' },
      });
      const made = await snapshotter.createVolumeFromSnapshot(
        'snap-vol-1',
        { type: 'fast', volumeAZ: 'a', iops: 100 },
        call,
      );
      expect(made).toBe('from-snap-vol-1');
      const volume = aVolume();
      const set = await snapshotter.setVolumeID(volume, made, call);
      expect(set).toEqual({ ...volume, spec: { ...volume.spec, csi: { ...volume.spec.csi, volumeHandle: made } } });
      await snapshotter.deleteSnapshot('snap-vol-1', call);
      await snapshotter.deleteSnapshot('snap-vol-1', call);
      const gone = snapshotter.createVolumeFromSnapshot('snap-vol-1', { type: '', volumeAZ: '' }, call);
      expect(await gone.catch(describeError)).toContain('no such snapshot: snap-vol-1');
      await snapshotter.close();
    });

    it('returns and sets the volume ID of a PersistentVolume without CSI', async () => {
      const { host, folder: root } = world();
      const snapshotter = await host.snapshotterFor(provider, never);
      await snapshotter.init({ root }, call);
      const flexVolume = { driver: 'fixture.lateen.dev/disk', options: { volumeID: 'disk-1' } };
      const volume = { ...aVolume(), spec: { flexVolume, capacity: { storage: '1Gi' } } };
      expect(await snapshotter.getVolumeID(volume, call)).toBe('disk-1');
      const set = await snapshotter.setVolumeID(volume, 'disk-2', call);
      const options = { volumeID: 'disk-2' };
      expect(set).toEqual({ ...volume, spec: { ...volume.spec, flexVolume: { ...flexVolume, options } } });
      await snapshotter.close();
    });

    it('reports what is wrong with its config, and that no plugin offers a provider', async () => {
      const { host } = world();
      const snapshotter = await host.snapshotterFor(provider, never);
      const init = snapshotter.init({ region: 'eu' }, call);
      expect(await init.catch(describeError)).toBe(
        `plugin ${provider} answered Init with an error: config has no root`,
      );
      await snapshotter.close();
      await expect(host.snapshotterFor('aws', never)).rejects.toMatchObject({ code: 'NO_VOLUME_SNAPSHOTTER' });
    });

    it('keeps the configs of two locations separate', async () => {
      const { host, folder } = world();
      const [one, other] = [await host.snapshotterFor(provider, never), await host.snapshotterFor(provider, never)];
      await one.init({ root: folder }, call);
      await other.init({ root: join(folder, 'no-such-folder') }, call);
      await expect(other.createSnapshot('vol-2', '', {}, call)).rejects.toMatchObject({ code: 'PLUGIN_CALL_FAILED' });
      expect(await one.createSnapshot('vol-2', '', {}, call)).toBe('snap-vol-2');
      await Promise.all([one.close(), other.close()]);
    });
  });

  describe('a store of objects', () => {
    it('stores, lists, reads and deletes objects', async () => {
      const { host, folder: root } = world();
      const store = await host.objectStore({ ...location, config: { root } }, never);
      const large = Buffer.alloc(1_000_003, 'lateen');
      await store.put('backups/one/velero-backup.json', Buffer.from('{}'));
      await store.put('backups/one/empty', new Uint8Array());
      await store.write(
        'backups/two/one.tar.gz',
        (async function* () {
          for (let at = 0; at < large.length; at += 300_000) yield large.subarray(at, at + 300_000);
        })(),
      );
      expect(await store.listCommonPrefixes('backups/')).toEqual(['one', 'two']);
      expect((await Array.fromAsync(store.list('backups/one/'))).map(({ key }) => key)).toEqual([
        'backups/one/empty',
        'backups/one/velero-backup.json',
      ]);
      expect(await store.exists('backups/one/empty')).toBe(true);
      expect(await store.get('backups/one/empty')).toHaveLength(0);
      expect(Buffer.from(await store.get('backups/two/one.tar.gz')).equals(large)).toBe(true);
      const part = Buffer.concat(
        await Array.fromAsync(store.read('backups/two/one.tar.gz', { range: { offset: 500_000, length: 100_000 } })),
      );
      expect(part.equals(large.subarray(500_000, 600_000))).toBe(true);
      const beyond = Array.fromAsync(store.read('backups/one/empty', { range: { offset: 0, length: 1 } }));
      await expect(beyond).rejects.toMatchObject({ code: 'OBJECT_TOO_SHORT' });
      await expect(store.get('backups/none')).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
      expect(await store.signedUrl('backups/one/empty', { ttlMs: 90_500 })).toBe(
        'https://fixture.lateen.dev/b/backups/one/empty?ttl=91',
      );
      await store.delete('backups/one/empty');
      await store.delete('backups/one/empty');
      expect(await store.exists('backups/one/empty')).toBe(false);
      await store.close();
    });

    it('does not store part of an object when its source fails', async () => {
      const { host, folder: root } = world();
      const store = await host.objectStore({ ...location, config: { root } }, never);
      const broken = async function* () {
        yield Buffer.from('the beginning');
        throw new Error('EIO');
      };
      await expect(store.write('broken', broken())).rejects.toThrow('EIO');
      expect(await store.exists('broken')).toBe(false);
      await store.close();
    });

    it('is an error for an unknown provider, and reports why its plugin rejects the config', async () => {
      const { host, folder } = world();
      await expect(host.objectStore({ ...location, plugin: 'swift' }, never)).rejects.toMatchObject({
        code: 'NO_OBJECT_STORE',
      });
      const refused = host.objectStore({ ...location, credentials: 'secret' }, never);
      expect(await refused.catch(describeError)).toContain('config has no root');
      expect(await readdir(join(folder, 'credentials'))).toEqual([]);
    });
  });
}
