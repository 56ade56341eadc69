import type { Volume, VolumeAttachmentObject } from '@lateen/storage-types';
import { volumeStateOf } from '@lateen/storage-types';
import { type AttachmentSeen, attachedOnlyFor } from '@lateen/volume-decisions';
import { replicatedDriver } from '../../frame/persistent-volume-indexes.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { isCordoned, isOutOfService } from '../../hosts/node-standing.ts';

/** The facts for the decision about the tickets of a volume. */
export function attachmentFacts(
  { caches, hosts, settings }: Pick<RoomContext, 'caches' | 'hosts' | 'settings'>,
  attachment: VolumeAttachmentObject,
  volume: Volume,
  nowMs: number,
): AttachmentSeen {
  const { spec, status } = volume;
  const { name = '', namespace = '' } = volume.metadata;
  const tickets = attachment.spec.attachmentTickets ?? {};
  const nodes = new Set(Object.values(tickets).map(({ nodeID = '' }) => nodeID));
  const down = [...nodes].filter((node) => node !== '' && hosts.isLost(node));
  const ofKubernetes = (node: string) => caches.kubernetesNodes.get({ name: node });
  const leaves = settings().flag('detach-manually-attached-volumes-when-cordoned');
  const holdOff = whyNot(volume);
  const onlyFor = attachedOnlyFor(volume);
  return {
    volume: name,
    namespace,
    tickets,
    statuses: attachment.status?.attachmentTicketStatuses ?? {},
    wanted: { nodeID: spec.nodeID ?? '', disableFrontend: spec.disableFrontend ?? false },
    has: {
      state: volumeStateOf(volume),
      nodeID: status?.currentNodeID ?? '',
      frontendDisabled: status?.frontendDisabled ?? false,
    },
    ...(holdOff === undefined ? {} : { holdOff }),
    ...(onlyFor === undefined ? {} : { onlyFor }),
    downNodes: new Map(down.map((node) => [node, { outOfService: isOutOfService(ofKubernetes(node)) }])),
    leftNodes: new Set(leaves ? [...nodes].filter((node) => isCordoned(ofKubernetes(node))) : []),
    attachedByKubernetes: attachedByKubernetes(caches, volume),
    nowMs,
  };
}

function whyNot({ metadata, status }: Volume): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'the volume is being deleted';
  return status?.robustness === 'faulted' ? 'the volume is faulted: no replica of it can be used' : undefined;
}

/** Nodes to which Kubernetes has the volume attached, by the name of its PersistentVolume. */
function attachedByKubernetes(
  { kubernetesAttachments }: RoomContext['caches'],
  { metadata, status }: Volume,
): ReadonlySet<string> {
  const name = status?.kubernetesStatus?.pvName || (metadata.name ?? '');
  const held = kubernetesAttachments.byIndex('volume', name).filter(({ spec }) => spec.attacher === replicatedDriver);
  return new Set(held.map(({ spec }) => spec.nodeName));
}
