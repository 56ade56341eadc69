import type { Int64, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** All requests to attach one volume, one ticket each. It has the name of the volume. It is not the VolumeAttachment of storage.k8s.io. */
export interface VolumeAttachmentObject extends KubeObject {
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

/** Who asks for a volume to be attached; decides its priority. */
export const ticketTypes = [
  'csi-attacher',
  'longhorn-api',
  'snapshot-controller',
  'backup-controller',
  'volume-clone-controller',
  'volume-restore-controller',
  'volume-expansion-controller',
  'volume-eviction-controller',
  'volume-rebuilding-controller',
  'salvage-controller',
  'share-manager-controller',
] as const;
/** @unchecked */
export type TicketType = (typeof ticketTypes)[number];

/** The volume, and the requests to attach it. */
export interface VolumeAttachmentSpec {
  /** Name of the Volume. */
  volume: string;
  /** Requests to attach the volume. The one with the highest priority is served. Key: id of the ticket. Empty: the volume is detached. */
  attachmentTickets?: Record<string, AttachmentTicket>;
}

/** A request to attach the volume to a node. */
export interface AttachmentTicket {
  /** ID of the ticket, equal to its key. */
  id?: string;
  /**
   * Who requests the volume; it decides the priority. Highest: `volume-restore-controller`, `volume-expansion-controller`; then
   * `longhorn-api` (a person); then `csi-attacher` (pods), `salvage-controller`, `share-manager-controller`; then all others.
   */
  type?: TicketType;
  /** Name of the node to attach the volume to. */
  nodeID?: string;
  /**
   * Settings of the request, as text. `disableFrontend`: `true` attaches without a device, `false` with one, `any` accepts both.
   * `lastAttachedBy`: who made the request.
   */
  parameters?: Record<string, string>;
  /** Number of changes of the ticket. It grows with each change. */
  generation?: Int64;
}

/** Which requests are fulfilled. */
export interface VolumeAttachmentStatus {
  /** State of each ticket. Key: id of the ticket. */
  attachmentTicketStatuses?: Record<string, AttachmentTicketStatus>;
}

/** State of a ticket. */
export interface AttachmentTicketStatus {
  /** ID of the ticket, equal to its key. */
  id?: string;
  /** Whether the volume is attached to the node of the ticket, with the device that it asks for. */
  satisfied: boolean;
  /** Conditions of the ticket. `Satisfied` with status False says why the ticket is not fulfilled. */
  conditions: Condition[] | null;
  /** Value of the ticket's generation that this state belongs to. Lower than the ticket's: the last change is not processed yet. */
  generation?: Int64;
}

export const volumeAttachmentObjectType = longhornType<VolumeAttachmentObject>('VolumeAttachment', 'volumeattachments');
