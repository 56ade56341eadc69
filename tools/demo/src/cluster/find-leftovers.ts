import {
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { type KubeApi, type KubeObject, keyOf, keyText, type ResourceType } from '@lateen/kube';

/** Names of all objects that a movement creates and has to delete. */
export type Inventory = ReadonlySet<string>;

const cleanedKinds: readonly { type: ResourceType; onlyVeleroNamespace: boolean }[] = [
  { type: persistentVolumeClaimType, onlyVeleroNamespace: true },
  { type: volumeSnapshotType, onlyVeleroNamespace: false },
  { type: volumeSnapshotContentType, onlyVeleroNamespace: false },
  { type: persistentVolumeType, onlyVeleroNamespace: false },
];

const movementKinds: readonly string[] = ['DataUpload', 'DataDownload', 'PodVolumeBackup', 'PodVolumeRestore'];

/** Lists what exists now. Hosting pods are distinguished from Lateen's own pods by their owner. */
export async function takeInventory(kube: KubeApi, veleroNamespace: string, signal: AbortSignal): Promise<Inventory> {
  const lists = await Promise.all(
    cleanedKinds.map(async ({ type, onlyVeleroNamespace }) => {
      const page = await kube.list(type, { signal, ...(onlyVeleroNamespace ? { namespace: veleroNamespace } : {}) });
      return page.items.map((item) => nameOf(type.kind, item));
    }),
  );
  const pods = await kube.list(podType, { namespace: veleroNamespace, signal });
  const hosting = pods.items.filter((pod) =>
    pod.metadata.ownerReferences?.some((owner) => movementKinds.includes(owner.kind)),
  );
  return new Set([...lists.flat(), ...hosting.map((pod) => nameOf('Pod', pod))]);
}

function nameOf(kind: string, object: KubeObject): string {
  return `${kind} ${keyText(keyOf(object))}`;
}

/** Objects that exist now and did not before. */
export function leftovers(before: Inventory, after: Inventory): string[] {
  return [...after].filter((name) => !before.has(name)).sort();
}
