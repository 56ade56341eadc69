import {
  type PersistentVolume,
  type Pod,
  podType,
  type VolumeAttachment,
  volumeAttachmentType,
} from '@lateen/api-types';
import { isNotFound, keyOf, keyText } from '@lateen/kube';
import { eventSubject, type Watch } from '@lateen/kube-runtime';
import { type Volume, type VolumeStatus, volumeType } from '@lateen/storage-types';
import type { Decision } from '@lateen/volume-decisions';
import { replicatedDriver } from '../../frame/persistent-volume-indexes.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { claimsOf } from '../../frame/slim-pod.ts';
import { isDown } from '../../hosts/node-standing.ts';
import { ownerOf } from '../../owner/ownership.ts';
import { type AttachmentDeletion, attachmentsToDelete } from './attachments-to-delete.ts';
import { kubernetesStatus } from './kubernetes-status.ts';
import { downGraceMs, type PodDeletion, podsToDelete } from './pods-to-delete.ts';

type Deletion = PodDeletion | AttachmentDeletion;

interface WholeSeen {
  readonly volume: Volume;
  readonly persistentVolume: PersistentVolume | undefined;
  readonly pods: readonly Pod[];
  readonly attachments: readonly VolumeAttachment[];
  readonly context: Pick<RoomContext, 'caches' | 'settings'>;
}

/** Records which Kubernetes objects use a volume, and deletes pods and VolumeAttachments that block it. Runs in the owner of the volume. */
export function kubernetesVolumeRoom(context: RoomContext): Room<Volume, WholeSeen, Deletion> {
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
      const attachments = caches.kubernetesAttachments.byIndex('volume', persistentVolume?.metadata.name ?? '');
      return { volume, persistentVolume, pods: podsOf(context, persistentVolume), attachments, context };
    },
    decide,
    apply: async (effect, pass) => {
      await carryOut(context, effect, pass);
      return undefined;
    },
  };
}

const podsOf = ({ caches }: Pick<RoomContext, 'caches'>, volume: PersistentVolume | undefined): readonly Pod[] => {
  const { namespace = '', name = '' } = volume?.spec.claimRef ?? {};
  return name === '' ? [] : caches.pods.byIndex('claim', `${namespace}/${name}`);
};

function decide(
  { volume, persistentVolume, pods, attachments, context: { caches, settings } }: WholeSeen,
  nowMs: number,
): Decision<VolumeStatus, Deletion> {
  const before = volume.status?.kubernetesStatus;
  const seen = { volume, pods, isDown: (node: string) => isDown(caches, node), settings: settings() };
  const ofPods = podsToDelete(seen, nowMs);
  const effects = [...ofPods, ...attachmentsToDelete({ ...seen, persistentVolume, attachments })];
  const isStuck = pods.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return {
    status: { ...volume.status, kubernetesStatus: kubernetesStatus({ before, persistentVolume, pods }, nowMs) },
    effects,
    events: ofPods.map((after) => ({
      type: 'Warning',
      reason: 'DeletedPod',
      message: `pod ${after.pod.metadata.namespace}/${after.pod.metadata.name} is deleted: ${after.why}`,
      after,
    })),
    ...(isStuck ? { again: { afterMs: downGraceMs, reason: 'a pod is being deleted' } } : {}),
  };
}

async function carryOut(context: RoomContext, effect: Deletion, { writes }: Pass<Volume, WholeSeen>): Promise<void> {
  const { log } = context;
  if (effect.do === 'delete-pod') return await deletePod(context, effect);
  const { attachment, why } = effect;
  const fields = { attachment: attachment.metadata.name, why };
  log.warn(fields, 'a VolumeAttachment is deleted, so that its volume can go elsewhere');
  await writes.delete(volumeAttachmentType, attachment);
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
      caches.kubernetesAttachments.onChange(({ object }) => {
        const held = caches.persistentVolumes.get({ name: object.spec.source.persistentVolumeName ?? '' });
        if (held !== undefined) wake(held);
      });
      caches.pods.onChange(({ object }) => {
        for (const claim of claimsOf(object))
          for (const each of caches.persistentVolumes.byIndex('claim', claim)) wake(each);
      });
    },
  };
}
