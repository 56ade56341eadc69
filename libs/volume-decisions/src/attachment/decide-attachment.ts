import type { AttachmentTicketStatus } from '@lateen/storage-types';
import { withCondition } from '../conditions/with-condition.ts';
import { type AttachmentSeen, counts, disableFrontendOf, type Ticket } from './attachment-seen.ts';
import { type Choice, chooseTicket } from './choose-ticket.ts';
import { lostTickets } from './lost-tickets.ts';
import { type Stranded, strandedTicket } from './stranded-ticket.ts';

export interface AttachmentDecision {
  /** For the spec of the Volume. */
  readonly nodeID: string;
  readonly disableFrontend: boolean;
  /** `parameters.lastAttachedBy` of the ticket that is served. */
  readonly lastAttachedBy: string;
  /** For the status of the VolumeAttachment: one for each ticket that stays. */
  readonly statuses: Readonly<Record<string, AttachmentTicketStatus>>;
  /** Ids of the tickets to remove. */
  readonly drop: readonly string[];
  readonly stranded?: Stranded;
}

/** Decides which attachment ticket of a volume is served, and the status of each ticket. */
export function decideAttachment(seen: AttachmentSeen): AttachmentDecision {
  const all = Object.entries(seen.tickets).map(([id, ticket]): Ticket => ({ ...ticket, id }));
  const drop = lostTickets(seen, all);
  const staying = all.filter(({ id }) => !drop.includes(id));
  const choice = chooseTicket(
    seen,
    staying.filter((ticket) => (ticket.nodeID ?? '') !== '' && counts(seen, ticket)),
  );
  const stranded = strandedTicket(seen, choice.ticket, staying);
  const statuses = staying.map((ticket) => [ticket.id, statusOf(ticket, seen, choice, stranded)] as const);
  return {
    nodeID: choice.nodeID,
    disableFrontend: choice.disableFrontend,
    lastAttachedBy: choice.ticket?.parameters?.lastAttachedBy ?? '',
    statuses: Object.fromEntries(statuses),
    drop,
    ...(stranded === undefined ? {} : { stranded }),
  };
}

function statusOf(
  ticket: Ticket,
  seen: AttachmentSeen,
  choice: Choice,
  stranded: Stranded | undefined,
): AttachmentTicketStatus {
  const waits = whyNot(ticket, seen, choice, stranded);
  const condition = {
    type: 'Satisfied',
    status: waits === undefined ? 'True' : 'False',
    reason: waits?.reason ?? '',
    message: waits?.message ?? '',
  } as const;
  return {
    id: ticket.id,
    satisfied: waits === undefined,
    conditions: withCondition(seen.statuses[ticket.id]?.conditions, condition, seen.nowMs),
    generation: ticket.generation ?? 0,
  };
}

/** Why a ticket is not satisfied, or undefined when it is. */
function whyNot(
  ticket: Ticket,
  seen: AttachmentSeen,
  { ticket: served }: Choice,
  stranded: Stranded | undefined,
): { reason: string; message: string } | undefined {
  const { has, holdOff, wanted } = seen;
  const { id, nodeID = '' } = ticket;
  if (nodeID === '') return { reason: 'NoNode', message: 'the ticket names no node' };
  if (seen.onlyFor !== undefined && !counts(seen, ticket))
    return { reason: 'ContentPending', message: seen.onlyFor.because };
  const frontend = disableFrontendOf(ticket);
  const fits = frontend === 'any' || frontend === String(has.frontendDisabled);
  if (has.state === 'attached' && has.nodeID === nodeID && wanted.nodeID === nodeID && fits) return undefined;
  if (holdOff !== undefined) return { reason: 'CannotAttach', message: holdOff };
  if (stranded?.blocks.includes(id)) {
    const why = `it was attached to ${served?.nodeID} by the API (ticket ${stranded.ticket}), which is not removed automatically`;
    return { reason: 'Stranded', message: `${why}. If it is not needed there: ${stranded.command}` };
  }
  if (served !== undefined && served.nodeID !== nodeID) {
    const first = `ticket ${served.id} (${served.type ?? 'unknown'}) has priority`;
    return { reason: 'OtherNode', message: `${first} and wants the volume on ${served.nodeID}` };
  }
  if (has.state === 'attached' && has.nodeID === nodeID && !fits) {
    const text = has.frontendDisabled ? 'without a device' : 'with a device';
    return { reason: 'OtherFrontend', message: `the volume is attached ${text} for ticket ${served?.id ?? 'unknown'}` };
  }
  if (has.nodeID !== '' && has.nodeID !== nodeID)
    return { reason: 'OtherNode', message: `the volume is still attached to ${has.nodeID}` };
  return { reason: 'Waiting', message: `the volume is ${has.state}` };
}
