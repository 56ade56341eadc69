import type { Backup, Engine } from '@lateen/storage-types';

/** A backup that loses one transfer after the other ends in `Error`. */
export const lostTransfersMax = 3;

/**
 * What a transfer ends with when its own process, or the daemon that it reads, is lost: what it was to do may work beside another replica. So may what
 * another process of the same backup has begun or taken over since.
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
  /** Its host does not answer: it may go on there. */
  readonly isSilent?: boolean;
}

/** `status.messages` with one more transfer that was lost, for people and for the count; undefined when it has failed for good. */
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
 * Name of the transfer that counts. After a silent one it is another name: that one may still run where nobody can ask, and must not be taken for the
 * next one when its host is back.
 */
export function backupTransferName({ metadata, status }: Pick<Backup, 'metadata' | 'status'>): string {
  const silent = Object.keys(status?.messages ?? {}).filter(
    (each) => each.startsWith(key) && each.endsWith(silentEnd),
  ).length;
  return `${metadata.name}${silent === 0 ? '' : `${againPart}${silent + 1}`}`;
}

/** Names of the backups that a transfer of this name may be of: the names of backups may end like those of transfers. */
export function backupsOfTransfer(transfer: string): readonly string[] {
  const [, backup] = /^(.+)\.again-\d+$/.exec(transfer) ?? [];
  return backup === undefined ? [transfer] : [transfer, backup];
}

/** The replicas with the one last that the transfer before has read, which `status.replicaAddress` tells. */
export function othersFirst({ status }: Backup, engine: Engine | undefined, replicas: readonly string[]): string[] {
  const wasRead = (name: string) => `tcp://${engine?.spec.replicaAddressMap?.[name]}` === status?.replicaAddress;
  return [...replicas.filter((name) => !wasRead(name)), ...replicas.filter(wasRead)];
}
