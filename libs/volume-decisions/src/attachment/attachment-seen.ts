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
  /** The wanted state of the volume: `spec.nodeID` and `spec.disableFrontend`. */
  readonly wanted: { readonly nodeID: string; readonly disableFrontend: boolean };
  /** The actual state: `status.state`, `currentNodeID`, `frontendDisabled`. */
  readonly has: { readonly state: VolumeState; readonly nodeID: string; readonly frontendDisabled: boolean };
  /** Why the volume must not be attached now, as text: it is faulted, or being deleted. */
  readonly holdOff?: string;
  /** The content of the volume is still to come: only tickets of these types count, and the others get this reason. */
  readonly onlyFor?: { readonly types: readonly TicketType[]; readonly because: string };
  /** Nodes that have been unreachable long enough to count as down, and whether a person has set the out-of-service taint. */
  readonly downNodes: ReadonlyMap<string, { readonly outOfService: boolean }>;
  /** Cordoned nodes from which volumes attached by the API are detached; empty without the setting. */
  readonly leftNodes: ReadonlySet<string>;
  /** Nodes for which a VolumeAttachment of Kubernetes exists. */
  readonly attachedByKubernetes: ReadonlySet<string>;
  readonly nowMs: number;
}

/** The front end that a ticket requires; `any`: both are accepted. */
export type WantedFrontend = 'true' | 'false' | 'any';

export function disableFrontendOf({ parameters }: Pick<AttachmentTicket, 'parameters'>): WantedFrontend {
  const value = parameters?.disableFrontend;
  return value === 'true' || value === 'any' ? value : 'false';
}

/** Whether the ticket counts now. */
export const counts = ({ onlyFor }: AttachmentSeen, { type }: Pick<AttachmentTicket, 'type'>): boolean =>
  onlyFor === undefined || (type !== undefined && onlyFor.types.includes(type));
