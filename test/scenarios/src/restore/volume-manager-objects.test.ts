import { type KubeObject, labels } from '@lateen/api-types';
import {
  engineType,
  type LonghornNode,
  longhornNodeType,
  replicaType,
  settingType,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { aNamespace } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from '../storage/storage-objects.ts';
import { StorageWorld } from '../storage/storage-world.ts';
import { backedUp, restoreWorld } from './restore-world.ts';

const kinds = [volumeType, engineType, replicaType, volumeAttachmentObjectType, settingType, longhornNodeType];

/** All longhorn.io objects of a cluster in which a volume is in use. */
async function ofRunningCluster(): Promise<readonly KubeObject[]> {
  const world = new StorageWorld({ objects: [aVolume('vol'), aSetting('backup-concurrent-limit', '3')] });
  world.startAll();
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  const objects = kinds.flatMap((type) => world.cluster.all<KubeObject>(type, namespace));
  await world.stopAll();
  return objects;
}

describe('objects of longhorn.io', () => {
  it('are restored like all others, although Velero excludes nodes of Kubernetes; the volume reports that its data is missing', async () => {
    const objects = await ofRunningCluster();
    const stored = await backedUp([aNamespace({ name: namespace }), ...objects], {
      includedNamespaces: [namespace],
    });
    // The API server in memory serves a kind as soon as it has an object of it.
    const elsewhere = objects.map((each) => ({
      ...each,
      metadata: { name: each.metadata.name ?? '', namespace: 'other' },
    }));
    const target = restoreWorld({ strict: false, objects: elsewhere });
    const { items } = await target.run(stored);
    expect(items.length).toBeGreaterThan(objects.length);
    const found = kinds.map((type) => target.cluster.all<KubeObject>(type, namespace));
    expect(found.map((all) => all.length)).toEqual(
      kinds.map(({ kind }) => objects.filter((each) => each.kind === kind).length),
    );
    for (const { metadata, ...object } of found.flat()) {
      expect(object).not.toHaveProperty('status');
      expect(metadata.ownerReferences ?? []).toEqual([]);
      expect(metadata.labels?.[labels.restoreName]).toBe('again');
    }
    expect(target.cluster.find<LonghornNode>(longhornNodeType, { namespace, name: 'n1' })?.spec.disks).toHaveProperty(
      'main',
    );
    const restored = found.flat().filter(({ kind }) => kind !== 'Node');
    const world = new StorageWorld({ objects: restored.map(asInOtherCluster) });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/faulted');
    const condition = world.volume()?.status?.conditions?.find(({ type }) => type === 'DataMissing');
    expect(condition).toMatchObject({ status: 'True', reason: 'RestoredWithoutData' });
    await world.clock.advance(600_000);
    expect([world.hosts.disks.size, world.state()]).toEqual([0, 'detached/faulted']);
  });
});

/** Each cluster in memory counts uids from the start: here none may equal one of the earlier cluster. */
const asInOtherCluster = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: `restored-${object.kind}-${object.metadata.name}` },
});
