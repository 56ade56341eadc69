import { keyOf, keyText } from '@lateen/kube';
import type { Watch } from '@lateen/kube-runtime';
import { type EngineImage, engineImageType } from '@lateen/storage-types';
import type { Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { decideEngineImage, type EngineImageSeen } from './decide-engine-image.ts';

/** Changes within this time queue an image once: the counts change often and are not urgent. */
const gatheredWakesMs = 2_000;

/** The controller of EngineImages: it records on which nodes an image can be used, and how many objects use it. */
export function engineImageRoom(context: RoomContext): Room<EngineImage, EngineImageSeen, never> {
  const { caches, version = '' } = context;
  return {
    name: 'engine-image',
    type: engineImageType,
    informer: caches.engineImages,
    ownership: 'EngineImage',
    watches: [wakes(context)],
    workers: 1,
    gather: (image) => ({
      image,
      nodes: caches.nodes.list(),
      instanceManagers: caches.instanceManagers.list(),
      volumes: caches.volumes.list(),
      engines: caches.engines.list(),
      replicas: caches.replicas.list(),
      defaultImage: context.settings().text('default-instance-manager-image'),
      version,
    }),
    decide: decideEngineImage,
    apply: async (effect) => effect satisfies never,
  };
}

const wakes = ({ caches }: RoomContext): Watch => ({
  informer: caches.engineImages,
  feed: (queue) => {
    const wake = (): void => {
      for (const image of caches.engineImages.list()) queue.addAfter(keyText(keyOf(image)), gatheredWakesMs);
    };
    for (const each of [caches.nodes, caches.instanceManagers, caches.settings]) each.onChange(wake);
    // The image of a volume, engine or replica rarely changes.
    for (const each of [caches.volumes, caches.engines, caches.replicas])
      each.onChange(({ type }) => {
        if (type !== 'updated') wake();
      });
  },
});
