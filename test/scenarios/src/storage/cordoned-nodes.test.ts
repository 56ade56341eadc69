import { eventType, type Node, nodeType, type VolumeAttachment } from '@lateen/api-types';
import { type VolumeAttachmentObject, volumeAttachmentObjectType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/** A volume that was attached to n1 through the API. */
async function attachedByHand(settings: Readonly<Record<string, string>>): Promise<StorageWorld> {
  const stored = Object.entries(settings).map(([name, value]) => aSetting(name, value));
  const world = new StorageWorld({ nodes: ['n1', 'n2', 'n3'], objects: [aVolume('vol'), ...stored] });
  world.startAll();
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.cluster.change<VolumeAttachmentObject>(volumeAttachmentObjectType, { namespace, name: 'vol' }, ({ spec }) => {
    const by = { id: 'ui', type: 'longhorn-api', nodeID: 'n1', parameters: { disableFrontend: 'false' } } as const;
    spec.attachmentTickets = { ui: { ...by, generation: 0 } };
  });
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  return world;
}

const change = (world: StorageWorld, name: string, spec: NonNullable<Node['spec']>) =>
  world.cluster.change<Node>(nodeType, { name }, (node) => {
    node.spec = spec;
  });
const tickets = (world: StorageWorld) => Object.keys(world.attachment()?.spec.attachmentTickets ?? {});

describe('a volume that was attached manually to a cordoned node', () => {
  it('is detached with the setting, so that a drain does not wait for it; one of a pod is not', async () => {
    const world = await attachedByHand({ 'detach-manually-attached-volumes-when-cordoned': 'true' });
    change(world, 'n2', { unschedulable: true });
    await world.clock.advance(60_000);
    expect(world.volume()?.status).toMatchObject({ state: 'attached', currentNodeID: 'n1' });
    change(world, 'n1', { unschedulable: true });
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
    expect(tickets(world)).toEqual([]);
    const events = world.cluster.all(eventType, namespace).filter(({ reason }) => reason === 'CordonedNode');
    expect(events.map(({ message }) => message)).toEqual([
      'Ticket ui of the API is removed: node n1 is cordoned (setting detach-manually-attached-volumes-when-cordoned)',
    ]);
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    await world.clock.advance(60_000);
    expect(tickets(world)).toEqual(['csi-n1']);
  });

  it('stays attached by default', async () => {
    const world = await attachedByHand({});
    change(world, 'n1', { unschedulable: true });
    await world.clock.advance(60_000);
    expect([world.volume()?.status?.state, tickets(world)]).toEqual(['attached', ['ui']]);
  });
});

describe('a node that is down', () => {
  it('loses its attachments as soon as it is marked out of service, although Kubernetes keeps its own', async () => {
    const held: VolumeAttachment = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'held' },
      spec: { attacher: 'driver.longhorn.io', nodeName: 'n1', source: { persistentVolumeName: 'vol' } },
    };
    const world = new StorageWorld({ nodes: ['n1', 'n2', 'n3'], objects: [aVolume('vol'), held] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    await world.setNode('n1', 'dead');
    await world.clock.advance(120_000);
    expect(tickets(world)).toEqual(['csi-n1']);
    const taint = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };
    change(world, 'n1', { taints: [taint] });
    await world.clock.advance(5_000);
    expect(tickets(world)).toEqual([]);
  });
});
