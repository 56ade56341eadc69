import { type PersistentVolume, type Pod, podType } from '@lateen/api-types';
import { isNotFound, keyOf, keyText } from '@lateen/kube';
import { eventSubject, type Watch } from '@lateen/kube-runtime';
import { type Volume, type VolumeStatus, volumeType } from '@lateen/storage-types';
import type { Decision } from '@lateen/volume-decisions';
import { replicatedDriver } from '../../frame/persistent-volume-indexes.ts';
import type { Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { claimsOf } from '../../frame/slim-pod.ts';
import { isDown } from '../../hosts/node-down.ts';
import { ownerOf } from '../../owner/ownership.ts';
import { kubernetesStatus } from './kubernetes-status.ts';
import { downGraceMs, type PodDeletion, podsToDelete } from './pods-to-delete.ts';

interface WholeSeen {
  readonly volume: Volume;
  readonly persistentVolume: PersistentVolume | undefined;
  readonly pods: readonly Pod[];
  readonly context: Pick<RoomContext, 'caches' | 'settings'>;
}

/** Which objects of Kubernetes use a volume, and the pods that stand in their own way. The owner of the volume does it. */
export function kubernetesVolumeRoom(context: RoomContext): Room<Volume, WholeSeen, PodDeletion> {
  const { caches, self } = context;
  return {
    name: 'kubernetes-volume',
    type: volumeType,
    informer: caches.volumes,
    ownership: (volume) => (ownerOf(volume) === self ? 'mine' : 'leave'),
    watches: [wakes(context)],
    workers: 4,
    gather: (volume) => {
      const [persistentVolume] = caches.persistentVolumes.byIndex('volume', volume.metadata.name ?? '');
      return { volume, persistentVolume, pods: podsOf(context, persistentVolume), context };
    },
    decide,
    apply: async (effect) => {
      await deletePod(context, effect);
      return undefined;
    },
  };
}

const podsOf = ({ caches }: Pick<RoomContext, 'caches'>, volume: PersistentVolume | undefined): readonly Pod[] => {
  const { namespace = '', name = '' } = volume?.spec.claimRef ?? {};
  return name === '' ? [] : caches.pods.byIndex('claim', `${namespace}/${name}`);
};

function decide(
  { volume, persistentVolume, pods, context: { caches, settings } }: WholeSeen,
  nowMs: number,
): Decision<VolumeStatus, PodDeletion> {
  const before = volume.status?.kubernetesStatus;
  const effects = podsToDelete({ volume, pods, isDown: (node) => isDown(caches, node), settings: settings() }, nowMs);
  const isStuck = pods.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return {
    status: { ...volume.status, kubernetesStatus: kubernetesStatus({ before, persistentVolume, pods }, nowMs) },
    effects,
    events: effects.map(({ pod, why }) => ({
      type: 'Warning',
      reason: 'DeletedPod',
      message: `pod ${pod.metadata.namespace}/${pod.metadata.name} is deleted: ${why}`,
    })),
    ...(isStuck ? { again: { afterMs: downGraceMs, reason: 'a pod is being deleted' } } : {}),
  };
}

async function deletePod({ kube, log, events }: RoomContext, { pod, force, why }: PodDeletion): Promise<void> {
  const key = keyOf(pod);
  log.warn({ pod: keyText(key), force, why }, 'a pod is deleted for the sake of its volume');
  events.record(eventSubject(pod), 'DeletedForVolume', why, { type: 'Warning' });
  const { uid = '' } = pod.metadata;
  try {
    await kube.delete(podType, key, { preconditions: { uid }, ...(force ? { gracePeriodSeconds: 0 } : {}) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function wakes({ caches, namespace }: RoomContext): Watch {
  return {
    informer: caches.volumes,
    feed: (queue) => {
      const wake = ({ spec }: PersistentVolume): void => {
        const { driver, volumeHandle: name = '' } = spec.csi ?? {};
        const isOurs = driver === replicatedDriver && caches.volumes.get({ namespace, name }) !== undefined;
        if (isOurs) queue.add(keyText({ namespace, name }));
      };
      caches.persistentVolumes.onChange(({ object }) => wake(object));
      caches.pods.onChange(({ object }) => {
        for (const claim of claimsOf(object))
          for (const each of caches.persistentVolumes.byIndex('claim', claim)) wake(each);
      });
    },
  };
}
