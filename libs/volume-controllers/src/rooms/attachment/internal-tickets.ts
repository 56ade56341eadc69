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
  /** It may be attached for the sake of its replicas by a ticket of this type, as long as nobody else asks for it. */
  readonly forReplicas?: ReplicaTicket;
  /** Nodes whose engine could not be asked for anything. */
  isLost(node: string): boolean;
}

type Tickets = Readonly<Record<string, AttachmentTicket>>;

/** Types of tickets that this manager makes and takes away by itself; all others are somebody's who asked. */
const internal: readonly (TicketType | undefined)[] = [
  'volume-expansion-controller',
  'snapshot-controller',
  'backup-controller',
  ...replicaTickets,
  ...contentTickets,
];

/**
 * The tickets with those that the manager itself needs: a volume that is to grow, a snapshot that is to be taken or deleted, or is backed up, while nobody has the
 * volume attached; one whose content is still to come, or that is read for a clone; one that lacks replicas, or whose replicas are to leave, while nobody asks for it. They take what is there (`disableFrontend: any`), and on their own get no device. Undefined when nothing changes.
 */
export function withInternalTickets(
  tickets: Tickets,
  needs: TicketNeeds,
): Record<string, AttachmentTicket> | undefined {
  const needed = neededBy(needs);
  const isAskedFor = needed.length > 0 || Object.values(tickets).some(({ type }) => !internal.includes(type));
  // Whoever else asks for the volume has it, and its replicas are rebuilt or leave while they do.
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
  // One that is no volume yet is no source either.
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

/** A backup reads a replica that runs, so the volume stays attached until it has ended. One that waits for its target holds no volume. */
function readsVolume(backup: Backup, canStore: (backup: Backup) => boolean): boolean {
  if (backup.metadata.deletionTimestamp !== undefined || isBackupOver(backup)) return false;
  return isBackupTransferring(backup) || canStore(backup);
}

/**
 * A ticket keeps its node: to change it is to move the volume. It leaves one that is lost when nobody else wants the volume there; a ticket that would come out
 * the same stays the same, since tickets that change are not served in the same pass.
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
