import { type AttachmentSeen, disableFrontendOf, type Ticket } from './attachment-seen.ts';
import { ticketPriority } from './ticket-priority.ts';

/** The wanted state of the volume from now on. An empty `nodeID`: detached. */
export interface Choice {
  readonly nodeID: string;
  readonly disableFrontend: boolean;
  /** The ticket that is served, or the next one, which waits until the volume is detached. */
  readonly ticket?: Ticket;
}

/**
 * The highest priority wins; on a tie the one that is served already, then the smallest id. A volume is never moved for a ticket of the same priority
 * as one that it serves; to move it, or to change its front end, it is detached first.
 */
export function chooseTicket(seen: AttachmentSeen, tickets: readonly Ticket[]): Choice {
  const { wanted, has, holdOff } = seen;
  const detached: Choice = { nodeID: '', disableFrontend: wanted.disableFrontend };
  const best = [...tickets].sort((a, b) => first(a, b, wanted))[0];
  if (best === undefined || holdOff !== undefined) return detached;
  const nodeID = best.nodeID ?? '';
  const disableFrontend = frontendOf(best, tickets, wanted);
  if (wanted.nodeID === '') {
    const free = has.state === 'detached' || has.state === 'creating';
    return free ? { nodeID, disableFrontend, ticket: best } : { ...detached, ticket: best };
  }
  const stays = nodeID === wanted.nodeID && disableFrontend === wanted.disableFrontend;
  return stays ? { ...wanted, ticket: best } : { ...detached, ticket: best };
}

function first(a: Ticket, b: Ticket, wanted: AttachmentSeen['wanted']): number {
  const served = Number(isServed(b, wanted)) - Number(isServed(a, wanted));
  return ticketPriority(b) - ticketPriority(a) || served || (a.id < b.id ? -1 : 1);
}

function isServed(ticket: Ticket, wanted: AttachmentSeen['wanted']): boolean {
  const frontend = disableFrontendOf(ticket);
  return ticket.nodeID === wanted.nodeID && (frontend === 'any' || frontend === String(wanted.disableFrontend));
}

/** A ticket that accepts any front end gets the present one, else the one that other tickets for its node want; alone it gets none. */
function frontendOf(best: Ticket, tickets: readonly Ticket[], wanted: AttachmentSeen['wanted']): boolean {
  const own = disableFrontendOf(best);
  if (own !== 'any') return own === 'true';
  const others = tickets.filter(({ nodeID }) => nodeID === best.nodeID).sort((a, b) => first(a, b, wanted));
  const minds = others.map(disableFrontendOf).find((each) => each !== 'any');
  if (minds !== undefined) return minds === 'true';
  return wanted.nodeID === best.nodeID ? wanted.disableFrontend : true;
}
