import { keyOf, keyText, type ObjectKey } from '@lateen/kube';
import { watches } from '@lateen/kube-runtime';
import { type Volume, volumeType } from '@lateen/storage-types';
import { decideVolume, type VolumeEffect, type VolumeSeen } from '@lateen/volume-decisions';
import { clusterFactsOf } from '../../frame/cluster-facts.ts';
import type { Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { watchedByAll } from '../../frame/wakes.ts';
import { watchedRestores } from '../../restores/restore-facts.ts';
import { type Adoption, adoption, isOfLaterFormat } from './adopt-volume.ts';
import { applyVolumeEffect } from './apply-volume.ts';
import { FreshNames } from './fresh-names.ts';
import { gatherVolume } from './gather-volume.ts';
import { nodeMatters, watchedNodes } from './node-wakes.ts';
import { StartClocks } from './start-clocks.ts';
import { StartProgress } from './start-progress.ts';

/** Volumes processed in parallel: each pass is a few writes to the API server. */
const workers = 16;

export type VolumeRoomEffect = VolumeEffect | Adoption;

/** The controller of Volumes: it decides about their objects and placement, the generation of the engine, rebuilds and robustness. */
export function volumeRoom(context: RoomContext): Room<Volume, VolumeSeen, VolumeRoomEffect> {
  const { caches, clock, random, namespace } = context;
  const starts = new StartClocks(clock);
  const names = new FreshNames(random);
  const progress = new StartProgress(caches.replicas, clock);
  const ports = {
    context,
    starts,
    progress,
    names,
    cluster: clusterFactsOf(caches, context.managers, context.settings),
  };
  const ofName = (name: string | undefined): ObjectKey[] => (name === undefined ? [] : [{ namespace, name }]);
  return {
    name: 'volume',
    type: volumeType,
    informer: caches.volumes,
    ownership: 'Volume',
    watches: [
      watches(caches.engines, ({ object }) => ofName(object.spec.volumeName)),
      watches(caches.replicas, ({ object }) => ofName(object.spec.volumeName)),
      watches(caches.snapshots, ({ object, type }) => (type === 'updated' ? [] : ofName(object.spec.volume))),
      watches(caches.attachments, ({ object, type }) => (type === 'updated' ? [] : [keyOf(object)])),
      watchedByAll(caches.volumes, caches.settings),
      watchedByAll(caches.volumes, caches.nodes, nodeMatters),
      watchedNodes(context),
      ...watchedRestores(context),
    ],
    workers,
    gather: (volume) =>
      isOfLaterFormat(volume)
        ? { missing: 'a manager that knows the format of its annotations' }
        : gatherVolume(ports, volume),
    decide: (seen, nowMs) => {
      const decision = decideVolume(seen, nowMs);
      return { ...decision, effects: [...adoption(seen), ...decision.effects] };
    },
    apply: async (effect, pass) => {
      await applyVolumeEffect(effect, pass, context);
      return undefined;
    },
    forget: (key) => {
      starts.forget(keyText(key));
      names.forget(keyText(key));
    },
  };
}
