import type { Backup, Engine } from '@lateen/storage-types';

/** After so many lost transfers a backup ends in `Error`. */
export const lostTransfersMax = 3;

/**
 * The errors with which a transfer ends when its own process, or the daemon that it reads from, is lost: another attempt may succeed with another
 * replica. The same holds when another process of the same backup has begun or taken over since.
 */
const lostCodes: ReadonlySet<string> = new Set([
  'TRANSFER_ENDED',
  'ABORTED',
  'INSTANCE_NOT_FOUND',
  'HOST_UNREACHABLE',
  'LINK_LOST',
  'LINK_REFUSED',
  'BLOCK_BACKUP_SUPERSEDED',
]);

const key = 'lost-transfer-';
const silentEnd = '-silent';
const againPart = '.again-';

export interface LostTransfer {
  readonly error: string;
  readonly code?: string;
  /** Its host does not answer: the transfer may still run there. */
  readonly isSilent?: boolean;
}

/** `status.messages` with one more lost transfer, for people and for the count; undefined when the transfer has failed for good. */
export function withLostTransfer(
  { status }: Backup,
  { error, code = '', isSilent = false }: LostTransfer,
): Record<string, string> | undefined {
  const messages = status?.messages ?? {};
  const count = Object.keys(messages).filter((each) => each.startsWith(key)).length;
  if (count >= lostTransfersMax || !lostCodes.has(code)) return undefined;
  return { ...messages, [`${key}${count + 1}${isSilent ? silentEnd : ''}`]: error };
}

/**
 * Name of the current transfer. After a host stopped answering, the next transfer gets another name: the old one may still run there, and must not be
 * taken for the next one when its host is back.
 */
export function backupTransferName({ metadata, status }: Pick<Backup, 'metadata' | 'status'>): string {
  const silent = Object.keys(status?.messages ?? {}).filter(
    (each) => each.startsWith(key) && each.endsWith(silentEnd),
  ).length;
  return `${metadata.name}${silent === 0 ? '' : `${againPart}${silent + 1}`}`;
}

/** Names of the backups that a transfer of this name may belong to: names of backups may end like names of transfers. */
export function backupsOfTransfer(transfer: string): readonly string[] {
  const [, backup] = /^(.+)\.again-\d+$/.exec(transfer) ?? [];
  return backup === undefined ? [transfer] : [transfer, backup];
}

/** The replicas; the one that the previous transfer read (`status.replicaAddress`) comes last. */
export function othersFirst({ status }: Backup, engine: Engine | undefined, replicas: readonly string[]): string[] {
  const wasRead = (name: string) => `tcp://${engine?.spec.replicaAddressMap?.[name]}` === status?.replicaAddress;
  return [...replicas.filter((name) => !wasRead(name)), ...replicas.filter(wasRead)];
}
