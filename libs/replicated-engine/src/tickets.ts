import { blockVolumeError, type Call } from '@lateen/block-engine';
import { readObject, retryOnConflict } from '@lateen/kube';
import {
  type AttachmentTicket,
  type TicketType,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
} from '@lateen/storage-types';
import { ticketPriority } from '@lateen/volume-decisions';
import type { EngineDeps } from './engine-deps.ts';
import { waiting } from './waiting.ts';

export type Tickets = Readonly<Record<string, AttachmentTicket>>;

export const ticketsOf = (attachment: VolumeAttachmentObject | undefined): Tickets =>
  attachment?.spec.attachmentTickets ?? {};

/** Clients of Longhorn show who attached a volume. */
const attachedBy = 'lateen';

export interface WantedTicket {
  id: string;
  node: string;
  type: TicketType;
  disableFrontend: boolean;
}

/** Puts a request to attach the volume to a node there, unless it is. @throws AppError what `requireFree` throws */
export async function putTicket(
  deps: EngineDeps,
  volume: string,
  wanted: WantedTicket,
  o: Call,
  requireFree: (tickets: Tickets, ticket: AttachmentTicket) => void = oneNodeAtATime(volume),
): Promise<void> {
  const ticket: AttachmentTicket = {
    id: wanted.id,
    type: wanted.type,
    nodeID: wanted.node,
    parameters: { disableFrontend: String(wanted.disableFrontend), lastAttachedBy: attachedBy },
    generation: 0,
  };
  await retryOnConflict(async () => {
    const attachment = await attachmentOf(deps, volume, o);
    const tickets = ticketsOf(attachment);
    requireFree(tickets, ticket);
    if (tickets[wanted.id]?.nodeID !== wanted.node) await patch(deps, attachment, { [wanted.id]: ticket }, o);
  });
}

/**
 * One node at a time: a request that could only be served after another one is withdrawn is refused, so that nothing is attached later
 * for a caller that has given up. Requests of the manager itself have lower priority.
 */
const oneNodeAtATime =
  (volume: string) =>
  (tickets: Tickets, ticket: AttachmentTicket): void => {
    const other = Object.values(tickets).find(
      (each) => each.nodeID !== ticket.nodeID && ticketPriority(each) >= ticketPriority(ticket),
    );
    if (other === undefined) return;
    throw blockVolumeError('VOLUME_BUSY', `volume ${volume} is attached to ${other.nodeID}, or is to be`, {
      nextStep: 'Detach it there first.',
    });
  };

/** Takes the request away. @returns those that are left; undefined when there is no volume */
export async function dropTicket(
  deps: EngineDeps,
  volume: string,
  { id, node }: { id: string; node: string },
  o: Call,
): Promise<Tickets | undefined> {
  return retryOnConflict(async () => {
    const attachment = await readAttachment(deps, volume, o);
    if (attachment === undefined) return undefined;
    const { [id]: mine, ...others } = ticketsOf(attachment);
    if (mine === undefined || mine.nodeID !== node) return ticketsOf(attachment);
    await patch(deps, attachment, { [id]: null }, o);
    return others;
  });
}

/** Waits until the manager says that the request is met. */
export async function ticketSatisfied(
  deps: EngineDeps,
  volume: string,
  { id, node }: { id: string; node: string },
  o: Call,
): Promise<void> {
  let faulted = false;
  await waiting(deps, o, {
    type: volumeAttachmentObjectType,
    name: volume,
    what: `volume ${volume} is not attached to ${node}`,
    limitMs: deps.limits.attachMs,
    until: (attachment, because) => {
      const ticket = ticketsOf(attachment)[id];
      if (attachment === undefined || ticket === undefined) throw takenBack(volume, node);
      const status = attachment.status?.attachmentTicketStatuses?.[id];
      if (status === undefined || (status.generation ?? 0) !== (ticket.generation ?? 0)) {
        because('no manager has answered its ticket');
        return undefined;
      }
      if (status.satisfied) return true;
      const { reason, message } = status.conditions?.find(({ type }) => type === 'Satisfied') ?? {};
      faulted = reason === 'CannotAttach';
      because(message || 'its ticket is not satisfied');
      return undefined;
    },
    code: () => (faulted ? 'VOLUME_FAULTED' : 'NOT_POSSIBLE_NOW'),
    nextStep: `Check the volume: kubectl get volumes.longhorn.io ${volume} -n ${deps.namespace} -o yaml`,
  });
}

const takenBack = (volume: string, node: string) =>
  blockVolumeError('NOT_POSSIBLE_NOW', `the request to attach volume ${volume} to ${node} was withdrawn meanwhile`, {
    nextStep: 'Repeat the call if it is still wanted.',
  });

/** Guarded by the version that was read: what the tickets are was decided by it. */
async function patch(
  { kube, namespace }: EngineDeps,
  { metadata }: VolumeAttachmentObject,
  attachmentTickets: Readonly<Record<string, AttachmentTicket | null>>,
  o: Call,
): Promise<void> {
  const { name = '', resourceVersion } = metadata;
  const body = { metadata: { resourceVersion }, spec: { attachmentTickets } };
  await kube.patch(volumeAttachmentObjectType, { namespace, name }, { type: 'merge', body }, o);
}

export const readAttachment = ({ kube, namespace }: EngineDeps, volume: string, { signal }: Call) =>
  readObject(kube, volumeAttachmentObjectType, { namespace, name: volume }, signal);

/** The manager makes it with the volume. */
const attachmentOf = (deps: EngineDeps, volume: string, o: Call): Promise<VolumeAttachmentObject> =>
  waiting(deps, o, {
    type: volumeAttachmentObjectType,
    name: volume,
    what: `the VolumeAttachment of volume ${volume} is not there`,
    limitMs: deps.limits.createMs,
    until: (attachment) => attachment,
    nextStep: 'The manager of the volume creates it: check the DaemonSet volume-manager.',
  });
