import {
  type AttachmentTicket,
  type Backup,
  type Engine,
  isBackupOver,
  isBackupTransferring,
  type Snapshot,
  type TicketType,
  type Volume,
} from '@lateen/storage-types';
import {
  contentOf,
  contentTickets,
  pendingContent,
  type ReplicaTicket,
  replicaTickets,
  type Settings,
  snapshotNeedsAttachment,
} from '@lateen/volume-decisions';

export interface TicketNeeds {
  readonly volume: Volume;
  readonly engine?: Engine;
  readonly snapshots: readonly Snapshot[];
  /** Volumes that are being cloned from this one. */
  readonly clones: readonly Volume[];
  readonly backupsOf: (snapshot: string) => readonly Backup[];
  /** Whether the backup target of a backup can be written to. */
  readonly canStore: (backup: Backup) => boolean;
  readonly settings: Settings;
  /** The volume may be attached by a ticket of this type to work on its replicas, as long as no client requests it. */
  readonly forReplicas?: ReplicaTicket;
  /** Nodes whose engine could not be reached. */
  isLost(node: string): boolean;
}

type Tickets = Readonly<Record<string, AttachmentTicket>>;

/** Types of tickets that this manager adds and removes itself; all others belong to the client that made them. */
const internal: readonly (TicketType | undefined)[] = [
  'volume-expansion-controller',
  'snapshot-controller',
  'backup-controller',
  ...replicaTickets,
  ...contentTickets,
];

/**
 * The tickets including those that the manager itself needs. While nobody has the volume attached: for a volume that has to grow, and for a snapshot
 * that is being taken, deleted or backed up. For a volume whose content is still to come, or that is the source of a clone. While nobody else asks
 * for the volume: for one that lacks replicas, or whose replicas have to leave. These tickets accept the present front end (`disableFrontend: any`);
 * on their own they get no device. Undefined when nothing changes.
 */
export function withInternalTickets(
  tickets: Tickets,
  needs: TicketNeeds,
): Record<string, AttachmentTicket> | undefined {
  const needed = neededBy(needs);
  const isAskedFor = needed.length > 0 || Object.values(tickets).some(({ type }) => !internal.includes(type));
  // If somebody else asks for the volume, it is attached anyway, and its replicas are rebuilt or moved meanwhile.
  if (needs.forReplicas !== undefined && !isAskedFor)
    needed.push({ type: needs.forReplicas, id: needs.volume.metadata.name ?? '' });
  const wanted = new Map<string, TicketType>(needed.map(({ type, id }) => [`${type}-${id}`, type]));
  const stay = Object.entries(tickets).filter(([id, { type }]) => !internal.includes(type) || wanted.has(id));
  const next = Object.fromEntries(stay);
  for (const [id, type] of wanted) next[id] = ticketFor(id, type, tickets, needs);
  const isSame = stay.length === Object.keys(tickets).length && Object.keys(next).length === stay.length;
  return isSame && stay.every(([id, ticket]) => next[id] === ticket) ? undefined : next;
}

function neededBy({
  volume,
  engine,
  snapshots,
  clones,
  backupsOf,
  canStore,
  settings,
}: TicketNeeds): { type: TicketType; id: string }[] {
  if (volume.metadata.deletionTimestamp !== undefined) return [];
  const { name = '' } = volume.metadata;
  const content = contentOf(volume);
  // A volume without its content cannot be the source of a clone.
  const readers = pendingContent(volume) === undefined ? clones : [];
  const grows = volume.status?.expansionRequired === true;
  const named = snapshots.filter((snapshot) =>
    snapshotNeedsAttachment({
      snapshot,
      volume,
      ...(engine === undefined ? {} : { engine }),
      backups: backupsOf(snapshot.metadata.name ?? ''),
      clones: clones
        .filter(({ status }) => status?.cloneStatus?.snapshot === snapshot.metadata.name)
        .map(({ metadata }) => metadata.name ?? ''),
      settings,
    }),
  );
  return [
    ...(content?.state === 'pending' ? [{ type: content.kind.ticket, id: name }] : []),
    ...readers.map(({ metadata }) => ({ type: 'volume-clone-controller' as const, id: metadata.name ?? '' })),
    ...(grows ? [{ type: 'volume-expansion-controller' as const, id: name }] : []),
    ...snapshots
      .filter(({ status }) => status?.readyToUse === true)
      .flatMap(({ metadata }) => backupsOf(metadata.name ?? ''))
      .filter((backup) => readsVolume(backup, canStore))
      .map(({ metadata }) => ({ type: 'backup-controller' as const, id: metadata.name ?? '' })),
    ...named.map(({ metadata }) => ({ type: 'snapshot-controller' as const, id: metadata.name ?? '' })),
  ];
}

/**
 * A backup reads a running replica, so the volume stays attached until the backup has ended. A backup that waits for its target keeps no volume
 * attached.
 */
function readsVolume(backup: Backup, canStore: (backup: Backup) => boolean): boolean {
  if (backup.metadata.deletionTimestamp !== undefined || isBackupOver(backup)) return false;
  return isBackupTransferring(backup) || canStore(backup);
}

/**
 * A ticket keeps its node, because changing the node means moving the volume. It leaves a lost node when nobody else wants the volume there. An
 * unchanged ticket stays the same object, because changed tickets are not served in the same pass.
 */
function ticketFor(id: string, type: TicketType, tickets: Tickets, needs: TicketNeeds): AttachmentTicket {
  const ofOthers = Object.values(tickets)
    .filter((ticket) => !internal.includes(ticket.type))
    .map(({ nodeID = '' }) => nodeID)
    .sort();
  const mayBeAt = (node: string): boolean => node !== '' && (ofOthers.includes(node) || !needs.isLost(node));
  const before = tickets[id];
  if (before !== undefined && mayBeAt(before.nodeID ?? '')) return before;
  const { spec, status } = needs.volume;
  const { currentNodeID = '', ownerID = '' } = status ?? {};
  const nodeID = [spec.nodeID ?? '', currentNodeID, ...ofOthers].find(mayBeAt) ?? ownerID;
  if (before?.nodeID === nodeID) return before;
  return { id, type, nodeID, parameters: { disableFrontend: 'any', lastAttachedBy: '' }, generation: 0 };
}
