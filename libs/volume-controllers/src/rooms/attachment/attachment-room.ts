import { keyOf, type ObjectKey } from '@lateen/kube';
import { watches } from '@lateen/kube-runtime';
import {
  type AttachmentTicket,
  backupTargetNameOf,
  backupVolumeNameOf,
  longhornFinalizer,
  type Volume,
  type VolumeAttachmentObject,
  type VolumeAttachmentStatus,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import {
  type AttachmentDecision,
  type ClusterFacts,
  type Decision,
  decideAttachment,
  type EventWish,
  type Stranded,
} from '@lateen/volume-decisions';
import { clonesOf, sourceOf } from '../../frame/clones-of.ts';
import { clusterFactsOf } from '../../frame/cluster-facts.ts';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeOf } from '../../frame/volume-of.ts';
import { watchedByAll } from '../../frame/wakes.ts';
import { followsVolume } from '../../owner/follows-volume.ts';
import { nodeMatters } from '../volume/node-wakes.ts';
import { attachmentFacts } from './attachment-facts.ts';
import { type TicketNeeds, withInternalTickets } from './internal-tickets.ts';
import { type OfflineAttachment, offlineAttachment, offlineRetryMs } from './offline-attachments.ts';
import { watchedTicketNodes } from './ticket-wakes.ts';

const workers = 8;

/** The facts about the tickets of one volume. */
export interface TicketsSeen {
  readonly attachment: VolumeAttachmentObject;
  /** Absent when the volume is gone. */
  readonly volume?: Volume;
  /** The facts for a decision about these tickets and this volume. */
  readonly facts?: (nowMs: number) => ReturnType<typeof attachmentFacts>;
  readonly needs?: TicketNeeds;
  readonly offline?: OfflineAttachment;
}

export type TicketsEffect =
  /** Replaces all tickets. */
  | { readonly do: 'set-tickets'; readonly tickets: Readonly<Record<string, AttachmentTicket>> }
  /** Written into the spec of the Volume. */
  | { readonly do: 'want'; readonly choice: Pick<AttachmentDecision, 'nodeID' | 'disableFrontend' | 'lastAttachedBy'> }
  | { readonly do: 'release-attachment' };

/** The controller of attachment tickets: it writes the wanted state into the Volume, and the status of each ticket. */
export function attachmentRoom(context: RoomContext): Room<VolumeAttachmentObject, TicketsSeen, TicketsEffect> {
  const { caches, namespace } = context;
  const cluster = clusterFactsOf(caches, context.managers, context.settings);
  const ofVolume = (name: string | undefined): ObjectKey[] => (name === undefined ? [] : [{ namespace, name }]);
  return {
    name: 'attachment',
    type: volumeAttachmentObjectType,
    informer: caches.attachments,
    ownership: ({ spec }) => followsVolume(context, spec.volume),
    watches: [
      watches(caches.volumes, ({ object }) => [keyOf(object), ...ofVolume(sourceOf(object) || undefined)]),
      watches(caches.snapshots, ({ object }) => ofVolume(object.spec.volume)),
      watches(caches.kubernetesAttachments, ({ object, type }) =>
        type === 'updated' ? [] : ofVolume(object.spec.source?.persistentVolumeName),
      ),
      watches(caches.replicas, ({ object }) => ofVolume(object.spec.volumeName)),
      watches(caches.backups, ({ object }) => ofVolume(backupVolumeNameOf(object) || undefined)),
      watchedByAll(
        caches.attachments,
        caches.backupTargets,
        (before, after) => before.status?.available !== after.status?.available,
      ),
      watchedByAll(caches.attachments, caches.settings),
      watchedByAll(caches.attachments, caches.nodes, nodeMatters),
      watchedTicketNodes(context),
    ],
    workers,
    gather: (attachment) => gather(context, cluster, attachment),
    decide,
    apply: async (effect, pass) => {
      await apply(effect, pass);
      return undefined;
    },
  };
}

function gather(context: RoomContext, cluster: () => ClusterFacts, attachment: VolumeAttachmentObject): TicketsSeen {
  const { caches, hosts, namespace, settings } = context;
  const volume = volumeOf(caches, namespace, attachment.spec.volume);
  if (volume === undefined) return { attachment };
  const engine = caches.engines.byIndex('volume', attachment.spec.volume)[0];
  const offline = offlineAttachment(context, cluster, attachment, volume);
  return {
    attachment,
    volume,
    offline,
    facts: (nowMs) => attachmentFacts({ caches, hosts, settings }, attachment, volume, nowMs),
    needs: {
      volume,
      ...(engine === undefined ? {} : { engine }),
      snapshots: caches.snapshots.byIndex('volume', attachment.spec.volume),
      clones: clonesOf(caches, attachment.spec.volume),
      backupsOf: (snapshot) => caches.backups.byIndex('snapshot', snapshot),
      canStore: (backup) =>
        caches.backupTargets.get({ namespace, name: backupTargetNameOf(backup) })?.status?.available === true,
      settings: settings(),
      ...(offline !== undefined && 'ticket' in offline ? { forReplicas: offline.ticket } : {}),
      isLost: (node) => hosts.isLost(node),
    },
  };
}

function decide(seen: TicketsSeen, nowMs: number): Decision<VolumeAttachmentStatus, TicketsEffect> {
  const { attachment, volume, facts, needs } = seen;
  const status = attachment.status ?? {};
  if (attachment.metadata.deletionTimestamp !== undefined)
    return { status, effects: [{ do: 'release-attachment' }], events: [] };
  if (volume === undefined || facts === undefined || needs === undefined)
    return { status, effects: [], events: [], waitsFor: `volume ${attachment.spec.volume} to be made` };
  const tickets = withInternalTickets(attachment.spec.attachmentTickets ?? {}, needs);
  // Changed tickets count in the next pass, which reads them.
  if (tickets !== undefined) return { status, effects: [{ do: 'set-tickets', tickets }], events: [] };
  const decided = decideAttachment(facts(nowMs));
  const { nodeID, disableFrontend, lastAttachedBy, statuses, drop, stranded } = decided;
  const kept = Object.entries(attachment.spec.attachmentTickets ?? {}).filter(([id]) => !drop.includes(id));
  const effects: TicketsEffect[] = [
    ...(drop.length > 0 ? [{ do: 'set-tickets', tickets: Object.fromEntries(kept) } as const] : []),
    { do: 'want', choice: { nodeID, disableFrontend, lastAttachedBy } },
  ];
  const { offline } = seen;
  const again =
    offline !== undefined && 'waitsFor' in offline ? { afterMs: offlineRetryMs, reason: offline.waitsFor } : undefined;
  return {
    status: { ...status, attachmentTicketStatuses: { ...statuses } },
    ...(again === undefined ? {} : { again }),
    effects,
    events: [
      ...(stranded?.blocks.some((id) => !isStranded(attachment, id)) === true ? [strandedEvent(stranded)] : []),
      ...drop.flatMap((id) => cordonedEvent(id, attachment)),
    ],
  };
}

/** Tells the client that attached the volume by the API why its ticket does not count any more. */
function cordonedEvent(id: string, { spec }: VolumeAttachmentObject): EventWish[] {
  const { type, nodeID = '' } = spec.attachmentTickets?.[id] ?? {};
  if (type !== 'longhorn-api') return [];
  const why = `node ${nodeID} is cordoned (setting detach-manually-attached-volumes-when-cordoned)`;
  return [{ type: 'Normal', reason: 'CordonedNode', message: `Ticket ${id} of the API is removed: ${why}` }];
}

const strandedEvent = ({ ticket, blocks, command }: Stranded): EventWish => ({
  type: 'Warning',
  reason: 'Stranded',
  message: `Ticket ${ticket} holds the volume elsewhere, and ${blocks.join(', ')} wait for it. If it is not needed: ${command}`,
});

const isStranded = ({ status }: VolumeAttachmentObject, id: string): boolean =>
  status?.attachmentTicketStatuses?.[id]?.conditions?.some(({ reason }) => reason === 'Stranded') ?? false;

async function apply(
  effect: TicketsEffect,
  { object, seen, writes }: Pass<VolumeAttachmentObject, TicketsSeen>,
): Promise<void> {
  switch (effect.do) {
    case 'set-tickets':
      return await writes.change(volumeAttachmentObjectType, object, (attachment) => ({
        ...attachment,
        spec: { ...attachment.spec, attachmentTickets: { ...effect.tickets } },
      }));
    case 'want':
      if (seen.volume !== undefined)
        await writes.change(volumeType, seen.volume, (volume) => wanted(volume, effect.choice));
      return;
    case 'release-attachment':
      return await writes.release(volumeAttachmentObjectType, object, longhornFinalizer);
    default:
      return effect satisfies never;
  }
}

/** An unset field that has to be empty stays absent. */
function wanted(volume: Volume, { nodeID, disableFrontend, lastAttachedBy }: ChoiceOf): Volume {
  const { spec } = volume;
  const set = (field: 'nodeID' | 'lastAttachedBy', text: string) =>
    (spec[field] ?? '') === text ? {} : { [field]: text };
  const frontend = (spec.disableFrontend ?? false) === disableFrontend ? {} : { disableFrontend };
  return {
    ...volume,
    spec: { ...spec, ...set('nodeID', nodeID), ...set('lastAttachedBy', lastAttachedBy), ...frontend },
  };
}

type ChoiceOf = Extract<TicketsEffect, { do: 'want' }>['choice'];
