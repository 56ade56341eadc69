import { listAll, readObject } from '@lateen/kube';
import {
  type AttachmentTicket,
  type LonghornNode,
  longhornGroup,
  longhornNodeType,
  longhornVersion,
  type Replica,
  replicaType,
  storageLabels,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
} from '@lateen/storage-types';
import { checkAttach, checkDetach } from '@lateen/volume-decisions';
import { changeObject, type StoragePlace, unlessRefused } from '../change-object.ts';
import { attachmentNoun } from '../storage-nouns.ts';
import { factsOf } from './volume-checks.ts';
import { nameOf } from './volume-sight.ts';

/** The only ticket that the command line creates: it attaches a volume to one node at a time. */
export const commandLineTicket = 'lateen-cli';

/** @throws AppError STORAGE_REFUSED before anything is written */
export async function checkMayAttach(place: StoragePlace, volume: Volume, node: string): Promise<void> {
  const { kube, namespace, signal } = place;
  const found: LonghornNode | undefined = await readObject(kube, longhornNodeType, { namespace, name: node }, signal);
  const labelSelector = `${storageLabels.volume}=${nameOf(volume)}`;
  const { items } = await listAll<Replica>(kube, replicaType, { namespace, signal, labelSelector });
  const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const scheduledReplicas = items.filter(({ spec }) => (spec.nodeID ?? '') !== '').length;
  unlessRefused(checkAttach({ ...factsOf(volume), node, nodeIsReady: ready, scheduledReplicas }));
}

export const readAttachment = ({ kube, namespace, signal }: StoragePlace, volume: Volume) =>
  readObject(kube, volumeAttachmentObjectType, { namespace, name: nameOf(volume) }, signal);

/** Tickets of other owners for another node: they have a lower priority, so their attachment would end. */
export function displacedBy(attachment: VolumeAttachmentObject | undefined, node: string): AttachmentTicket[] {
  return Object.values(attachment?.spec.attachmentTickets ?? {}).filter(
    ({ nodeID, type }) => nodeID !== node && type !== 'longhorn-api',
  );
}

/** Requests the attachment to a node by a ticket of type longhorn-api. @returns false when the same request exists already */
export async function requestAttach(
  place: StoragePlace,
  volume: Volume,
  { node, disableFrontend }: { node: string; disableFrontend: boolean },
): Promise<boolean> {
  const name = nameOf(volume);
  const wanted: AttachmentTicket = {
    id: commandLineTicket,
    type: 'longhorn-api',
    nodeID: node,
    parameters: { disableFrontend: String(disableFrontend), lastAttachedBy: 'lateen' },
  };
  if ((await readAttachment(place, volume)) === undefined) {
    // The manager creates the attachment object with the volume; if it was deleted, it is created again as Longhorn does.
    await place.kube.create(volumeAttachmentObjectType, newAttachment(volume, wanted), { signal: place.signal });
    return true;
  }
  const { changed } = await changeObject(place, attachmentNoun, name, (object) => {
    const before = object.spec.attachmentTickets?.[commandLineTicket];
    const same = before?.nodeID === node && before.parameters?.disableFrontend === wanted.parameters?.disableFrontend;
    if (same) return undefined;
    const ticket = { ...wanted, generation: before === undefined ? 0 : (before.generation ?? 0) + 1 };
    const attachmentTickets = { ...object.spec.attachmentTickets, [commandLineTicket]: ticket };
    return { ...object, spec: { ...object.spec, attachmentTickets } };
  });
  return changed;
}

function newAttachment(volume: Volume, ticket: AttachmentTicket): VolumeAttachmentObject {
  const { namespace = '' } = volume.metadata;
  const name = nameOf(volume);
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: volumeAttachmentObjectType.kind,
    metadata: { name, namespace, labels: { [storageLabels.volume]: name } },
    spec: { volume: name, attachmentTickets: { [commandLineTicket]: { ...ticket, generation: 0 } } },
  };
}

/**
 * Detaches a volume: removes the tickets that users created, or with `all` every ticket.
 * @returns the ids of the removed tickets @throws AppError STORAGE_REFUSED
 */
export async function requestDetach(place: StoragePlace, volume: Volume, { all }: { all: boolean }): Promise<string[]> {
  unlessRefused(checkDetach(factsOf(volume)));
  if ((await readAttachment(place, volume)) === undefined) return [];
  let dropped: string[] = [];
  await changeObject(place, attachmentNoun, nameOf(volume), (object) => {
    const tickets = Object.entries(object.spec.attachmentTickets ?? {});
    const going = tickets.filter(([, { type }]) => all || type === 'longhorn-api');
    dropped = going.map(([id]) => id).sort();
    if (going.length === 0) return undefined;
    const attachmentTickets = Object.fromEntries(tickets.filter(([id]) => !dropped.includes(id)));
    return { ...object, spec: { ...object.spec, attachmentTickets } };
  });
  return dropped;
}
