import type { AttachmentTicket, AttachmentTicketStatus, TicketType, VolumeState } from '@lateen/storage-types';

/** A ticket under its key, which is its id. */
export interface Ticket extends AttachmentTicket {
  readonly id: string;
}

export interface AttachmentSeen {
  readonly volume: string;
  readonly namespace: string;
  readonly tickets: Readonly<Record<string, AttachmentTicket>>;
  readonly statuses: Readonly<Record<string, AttachmentTicketStatus>>;
  /** What is wanted of the volume now: `spec.nodeID` and `spec.disableFrontend`. */
  readonly wanted: { readonly nodeID: string; readonly disableFrontend: boolean };
  /** What it has: `status.state`, `currentNodeID`, `frontendDisabled`. */
  readonly has: { readonly state: VolumeState; readonly nodeID: string; readonly frontendDisabled: boolean };
  /** Why the volume must not be attached now, in words: it is faulted, it is being deleted. */
  readonly holdOff?: string;
  /** The content of the volume is still to come: tickets of these types alone count, and the others are told why. */
  readonly onlyFor?: { readonly types: readonly TicketType[]; readonly because: string };
  /** Nodes that are down (for long enough to be called so), and whether somebody has said by taint that they are out of service. */
  readonly downNodes: ReadonlyMap<string, { readonly outOfService: boolean }>;
  /** Nodes that are cordoned and that volumes attached by the API leave for that; none without the setting. */
  readonly leftNodes: ReadonlySet<string>;
  /** Nodes for which a VolumeAttachment of Kubernetes exists. */
  readonly attachedByKubernetes: ReadonlySet<string>;
  readonly nowMs: number;
}

/** What the front end of a ticket has to be; `any`: either will do. */
export type WantedFrontend = 'true' | 'false' | 'any';

export function disableFrontendOf({ parameters }: Pick<AttachmentTicket, 'parameters'>): WantedFrontend {
  const value = parameters?.disableFrontend;
  return value === 'true' || value === 'any' ? value : 'false';
}

/** Whether the ticket counts now. */
export const counts = ({ onlyFor }: AttachmentSeen, { type }: Pick<AttachmentTicket, 'type'>): boolean =>
  onlyFor === undefined || (type !== undefined && onlyFor.types.includes(type));
