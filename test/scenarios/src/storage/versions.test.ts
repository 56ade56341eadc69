import { storageAnnotations, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/* During an update, managers of two versions run at the same time. */

const writesOf = ({ cluster }: StorageWorld, name: string, from = 0): string[] =>
  cluster.calls
    .slice(from)
    .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
    .filter((call) => JSON.stringify(call).includes(`"${name}"`))
    .map(({ verb, type }) => `${verb} ${type.kind}`);

describe('managers of two versions', () => {
  it('do not touch a volume that a newer one has written in an unknown format, and handle all others', async () => {
    const later = aVolume('later');
    later.metadata.annotations = { [storageAnnotations.format]: '2' };
    const world = new StorageWorld({ objects: [later, aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state('vol') === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state('vol') === 'attached/healthy');
    await world.clock.advance(600_000);
    expect(writesOf(world, 'later')).toEqual([]);
    expect([world.replicas('later').length, world.engine('later')]).toEqual([0, undefined]);
    // The update was rolled back or completed: the format is known again.
    world.cluster.change(volumeType, { namespace, name: 'later' }, ({ metadata }) => {
      delete metadata.annotations?.[storageAnnotations.format];
    });
    await world.clock.advanceUntil(() => world.state('later') === 'detached/unknown');
  });

  it('keep fields that a newer one has written into objects', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.cluster.change(volumeType, { namespace, name: 'vol' }, (volume) => {
      volume.metadata.annotations = { ...volume.metadata.annotations, 'storage.lateen.dev/of-later': 'kept' };
      Object.assign(volume.spec as object, { laterField: { a: 1 } });
      Object.assign(volume.status as object, { laterStatus: [1, 2] });
    });
    world.attach('n2');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    world.detach('n2');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    expect(world.volume()).toMatchObject({
      metadata: { annotations: { 'storage.lateen.dev/of-later': 'kept' } },
      spec: { laterField: { a: 1 } },
      status: { laterStatus: [1, 2] },
    });
  });

  it('ignore an unknown setting, and use the default for an invalid value', async () => {
    const world = new StorageWorld({
      objects: [aVolume('vol'), aSetting('of-a-later-version', '7'), aSetting('engine-replica-timeout', 'soon')],
    });
    world.startAll();
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    expect(world.write()).toBe(true);
  });
});
