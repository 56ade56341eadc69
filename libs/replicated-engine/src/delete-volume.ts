import { blockVolumeError, type Call } from '@lateen/block-engine';
import { deleteIfThere, readObject } from '@lateen/kube';
import { type TicketType, volumeAttachmentObjectType, volumeType } from '@lateen/storage-types';
import type { EngineDeps } from './engine-deps.ts';
import { readVolume } from './volume-named.ts';
import { waiting } from './waiting.ts';

/** Requests of the manager itself end by themselves when the volume goes. */
const usedBy: readonly (TicketType | undefined)[] = ['csi-attacher', 'longhorn-api'];

export async function deleteReplicated(deps: EngineDeps, name: string, o: Call): Promise<void> {
  const found = await readVolume(deps, name, o);
  if (found === undefined) return;
  const object = found.metadata.name ?? '';
  const key = { namespace: deps.namespace, name: object };
  const attachment = await readObject(deps.kube, volumeAttachmentObjectType, key, o.signal);
  const used = Object.values(attachment?.spec.attachmentTickets ?? {}).find(({ type }) => usedBy.includes(type));
  if (used !== undefined && found.metadata.deletionTimestamp === undefined) {
    throw blockVolumeError('VOLUME_BUSY', `volume ${name} is attached to ${used.nodeID}, or is to be`, {
      nextStep: 'Detach it first.',
    });
  }
  await deleteIfThere(deps.kube, volumeType, found, o.signal);
  await waiting(deps, o, {
    type: volumeType,
    name: object,
    what: `volume ${name} is not gone`,
    limitMs: deps.limits.deleteMs,
    until: (volume, because) => {
      because(`it is ${volume?.status?.state ?? 'new'}`);
      // Another one of its name is none of this call's.
      return volume === undefined || volume.metadata.uid !== found.metadata.uid ? true : undefined;
    },
    nextStep: `Find what holds it: kubectl get replicas.longhorn.io,engines.longhorn.io -n ${deps.namespace} -l longhornvolume=${object}`,
  });
}
