import type { Backup, Engine } from '@lateen/storage-types';
import type { TransferFacts } from './backup-seen.ts';

/** A backup that loses one transfer after the other ends in `Error`. */
export const lostTransfersMax = 3;

/** What a transfer ends with when its own process, or the daemon that it reads, is lost: what it was to do may work beside another replica. */
const lostCodes: ReadonlySet<string> = new Set([
  'TRANSFER_ENDED',
  'ABORTED',
  'INSTANCE_NOT_FOUND',
  'HOST_UNREACHABLE',
  'LINK_LOST',
  'LINK_REFUSED',
]);

const key = 'lost-transfer-';

/** `status.messages` with one more transfer that was lost, for people and for the count; undefined when it has failed for good. */
export function withLostTransfer(
  { status }: Backup,
  transfer: Extract<TransferFacts, { state: 'failed' }>,
): Record<string, string> | undefined {
  const messages = status?.messages ?? {};
  const count = Object.keys(messages).filter((each) => each.startsWith(key)).length;
  if (count >= lostTransfersMax || !lostCodes.has(transfer.code ?? '')) return undefined;
  return { ...messages, [`${key}${count + 1}`]: transfer.error };
}

/** The replicas with the one last that the transfer before has read, which `status.replicaAddress` tells. */
export function othersFirst({ status }: Backup, engine: Engine | undefined, replicas: readonly string[]): string[] {
  const wasRead = (name: string) => `tcp://${engine?.spec.replicaAddressMap?.[name]}` === status?.replicaAddress;
  return [...replicas.filter((name) => !wasRead(name)), ...replicas.filter(wasRead)];
}
