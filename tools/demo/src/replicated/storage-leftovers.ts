import { persistentVolumeType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { KubeApi, KubeObject, ResourceType } from '@lateen/kube';
import {
  engineType,
  longhornNamespace,
  orphanType,
  replicaType,
  snapshotType,
  storageLabels,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { leftAfter } from '../cluster/expect-nothing-left.ts';

/** Replicas are deleted on their nodes before their objects are. */
const settleMsMax = 5 * 60_000;

const ofVolume = [engineType, replicaType, snapshotType] as readonly ResourceType<KubeObject>[];
const named = [volumeType, volumeAttachmentObjectType] as readonly ResourceType<KubeObject>[];

/** Remaining objects of a volume whose claim was deleted, after they have had time to be deleted; empty when there are none. */
export const storageLeftovers = (
  { kube, clock }: { kube: KubeApi; clock: Clock },
  volume: string,
  signal: AbortSignal,
): Promise<string[]> => leftAfter(() => leftNow(kube, volume, signal), settleMsMax, { clock, signal });

async function leftNow(kube: KubeApi, volume: string, signal: AbortSignal): Promise<string[]> {
  const namespace = longhornNamespace;
  const labelSelector = `${storageLabels.volume}=${volume}`;
  const list = async (type: ResourceType<KubeObject>, options: { namespace?: string; labelSelector?: string }) => {
    const { items } = await kube.list(type, { ...options, signal });
    return items.map(({ metadata }) => ({ kind: type.kind, name: metadata.name ?? '' }));
  };
  const lists = await Promise.all([
    ...ofVolume.map((type) => list(type, { namespace, labelSelector })),
    ...named.map((type) => list(type, { namespace })),
    list(persistentVolumeType as ResourceType<KubeObject>, {}),
    list(orphanType as ResourceType<KubeObject>, { namespace }),
  ]);
  const isOf = new Set(ofVolume.map(({ kind }) => kind)).add('Orphan');
  return lists
    .flat()
    .filter(({ kind, name }) => isOf.has(kind) || name === volume)
    .map(({ kind, name }) => `${kind} ${name}`);
}
