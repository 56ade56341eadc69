import type { KubeObject, Unstructured } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import type { ObjectStore } from '../contract/object-store.ts';
import type { VolumeSnapshotter } from '../contract/volume-snapshotter.ts';
import { definePlugin } from '../define-plugin.ts';
import { testPlugin } from '../testing/test-plugin.ts';

const name = 'example.io/one';
const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } };

describe('other item actions', () => {
  it('ItemBlockAction returns the related items of one block', async () => {
    const plugin = definePlugin({
      name,
      itemBlockActions: {
        [name]: {
          appliesTo: { includedResources: ['pods'] },
          relatedItems: ({ item, backup }) => [
            {
              group: '',
              resource: 'configmaps',
              namespace: 'shop',
              name: `${item.metadata.name}-${backup.metadata.name}`,
            },
          ],
        },
      },
    });
    const action = (await testPlugin(plugin)).itemBlockAction(name);
    expect(await action.appliesTo()).toEqual({ includedResources: ['pods'] });
    expect(await action.relatedItems(pod)).toEqual([
      { group: '', resource: 'configmaps', namespace: 'shop', name: 'web-nightly' },
    ]);
  });

  it('DeleteItemAction is called for each item', async () => {
    const told: (string | undefined)[] = [];
    const execute = ({ item }: { item: Unstructured }) => void told.push(item.metadata.name);
    const action = (
      await testPlugin(definePlugin({ name, deleteItemActions: { [name]: { execute } } }))
    ).deleteItemAction(name);
    expect(await action.appliesTo()).toEqual({});
    await action.execute(pod);
    expect(told).toEqual(['web']);
  });
});

function snapshotter(config: Readonly<Record<string, string>>): VolumeSnapshotter {
  if (config.region === undefined) throw new Error('config has no region');
  return {
    getVolumeId: ({ persistentVolume }) => (persistentVolume.spec as { handle: string }).handle,
    setVolumeId: ({ persistentVolume, volumeId }) => ({ ...persistentVolume, spec: { handle: volumeId } }),
    getVolumeInfo: ({ volumeId }) => (volumeId === 'v-1' ? { volumeType: 'fast', iops: 100 } : { volumeType: 'slow' }),
    createSnapshot: ({ volumeId, volumeZone, tags }) => `${config.region}:${volumeId}:${volumeZone}:${tags.app}`,
    deleteSnapshot: ({ snapshotId }) => {
      if (snapshotId === 'locked') throw new Error('it is locked');
    },
    createVolumeFromSnapshot: ({ snapshotId, volumeType, iops = 'none' }) => `${snapshotId}:${volumeType}:${iops}`,
  };
}

describe('a VolumeSnapshotter', () => {
  const volume: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' } };
  const make = async (config?: Record<string, string>) =>
    (await testPlugin(definePlugin({ name, volumeSnapshotters: { [name]: snapshotter } }))).volumeSnapshotter(
      name,
      config,
    );

  it('reads and writes the ID of a volume', async () => {
    const store = await make({ region: 'north' });
    const persistentVolume = { ...volume, spec: { handle: 'v-1' } } as KubeObject;
    expect(await store.getVolumeId({ persistentVolume })).toBe('v-1');
    expect(await store.setVolumeId({ persistentVolume, volumeId: 'v-2' })).toEqual({
      ...volume,
      spec: { handle: 'v-2' },
    });
  });

  it('creates and deletes snapshots, and creates volumes from them', async () => {
    const store = await make({ region: 'north' });
    expect(await store.getVolumeInfo({ volumeId: 'v-1', volumeZone: 'a' })).toEqual({ volumeType: 'fast', iops: 100 });
    expect(await store.getVolumeInfo({ volumeId: 'v-2', volumeZone: '' })).toEqual({ volumeType: 'slow' });
    expect(await store.createSnapshot({ volumeId: 'v-1', volumeZone: 'a', tags: { app: 'db' } })).toBe(
      'north:v-1:a:db',
    );
    await store.deleteSnapshot({ snapshotId: 's' });
    await expect(store.deleteSnapshot({ snapshotId: 'locked' })).rejects.toThrow('it is locked');
    const fresh = { snapshotId: 's', volumeType: 'fast', volumeZone: 'a' };
    expect(await store.createVolumeFromSnapshot({ ...fresh, iops: 100 })).toBe('s:fast:100');
    expect(await store.createVolumeFromSnapshot(fresh)).toBe('s:fast:none');
  });

  it('reports an invalid configuration', async () => {
    await expect(make()).rejects.toThrow('config has no region');
  });
});

function memoryStore(config: Readonly<Record<string, string>>): ObjectStore {
  const objects = new Map<string, Buffer>();
  return {
    putObject: async ({ bucket, key, body }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      objects.set(`${bucket}/${key}`, Buffer.concat(pieces));
    },
    getObject: async function* ({ bucket, key }) {
      const object = objects.get(`${bucket}/${key}`);
      if (object === undefined) throw new Error(`no object ${key}`);
      yield object;
    },
    objectExists: ({ bucket, key }) => objects.has(`${bucket}/${key}`),
    listCommonPrefixes: ({ prefix, delimiter }) => [`${prefix}a${delimiter}`],
    listObjects: ({ bucket, prefix }) =>
      [...objects.keys()].map((key) => key.slice(bucket.length + 1)).filter((key) => key.startsWith(prefix)),
    deleteObject: ({ bucket, key }) => void objects.delete(`${bucket}/${key}`),
    createSignedUrl: ({ bucket, key, ttlMs }) => `https://${config.host}/${bucket}/${key}?ttl=${ttlMs}`,
  } as ObjectStore;
}

describe('an ObjectStore', () => {
  const make = async () =>
    (await testPlugin(definePlugin({ name, objectStores: { [name]: memoryStore } }))).objectStore(name, { host: 's' });

  it('stores objects of any size, byte by byte', async () => {
    const store = await make();
    for (const size of [0, 1, 16 * 1024, 700_001]) {
      const body = Buffer.alloc(size, 'abc');
      await store.putObject({ bucket: 'b', key: `k-${size}`, body });
      expect((await store.getObject({ bucket: 'b', key: `k-${size}` })).equals(body)).toBe(true);
    }
    expect(await store.listObjects({ bucket: 'b', prefix: 'k-1' })).toEqual(['k-1', 'k-16384']);
    expect(await store.objectExists({ bucket: 'b', key: 'k-1' })).toBe(true);
    await store.deleteObject({ bucket: 'b', key: 'k-1' });
    expect(await store.objectExists({ bucket: 'b', key: 'k-1' })).toBe(false);
  });

  it('lists prefixes and signs URLs', async () => {
    const store = await make();
    expect(await store.listCommonPrefixes({ bucket: 'b', prefix: 'x/', delimiter: '/' })).toEqual(['x/a/']);
    expect(await store.createSignedUrl({ bucket: 'b', key: 'k', ttlMs: 600_000 })).toBe('https://s/b/k?ttl=600000');
  });

  it('returns the error of its code, even in the middle of a stream', async () => {
    await expect((await make()).getObject({ bucket: 'b', key: 'gone' })).rejects.toThrow('no object gone');
  });
});
