import type { Int64, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** All requests to attach one volume; has the volume's name. Not the VolumeAttachment of storage.k8s.io. */
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

/** Which requests there are. */
export interface VolumeAttachmentSpec {
  /** Name of the Volume. */
  volume: string;
  /** Requests, by their id. */
  attachmentTickets?: Record<string, AttachmentTicket>;
}

/** A request to attach a volume. */
export interface AttachmentTicket {
  /** Identity of the request, the same as its key. */
  id?: string;
  /** Who asks. */
  type?: TicketType;
  /** Node to attach to. */
  nodeID?: string;
  /** How to attach: disableFrontend is true, false or any; lastAttachedBy names who asked. */
  parameters?: Record<string, string>;
  /** Number of changes of the request so far. */
  generation?: Int64;
}

/** Which requests are met. */
export interface VolumeAttachmentStatus {
  /** Answers, by the id of the request. */
  attachmentTicketStatuses?: Record<string, AttachmentTicketStatus>;
}

/** The answer to a request. */
export interface AttachmentTicketStatus {
  /** Identity of the request, the same as its key. */
  id?: string;
  /** Whether the volume is attached as was asked. */
  satisfied: boolean;
  /** Why it is not. */
  conditions: Condition[] | null;
  /** Number of the change of the request that this answers. */
  generation?: Int64;
}

export const volumeAttachmentObjectType = longhornType<VolumeAttachmentObject>('VolumeAttachment', 'volumeattachments');
