import { byteSize } from '@lateen/errors';
import { replicaError } from '../replica-error.ts';
import { layerFile, type ReplicaRecord, type ReplicaState, recordFormat } from './replica-record.ts';

/** The identity of a replica. All of it is in the record, and is compared before any change to a folder. */
export interface ReplicaIdentity {
  readonly volume: string;
  readonly volumeUid: string;
  readonly replica: string;
}

export interface NewReplica extends ReplicaIdentity {
  readonly sizeBytes: bigint;
  /** `rebuilding` for a replica that gets its layers from another one. */
  readonly state: Exclude<ReplicaState, 'whole'>;
}

/** Heads are written in units of 4 KiB (ADR 0051), and a qcow2 image of a part of one cannot be merged cleanly. */
export const sizeUnitBytes = 4096n;
/** The largest file of ext4; a qcow2 image with these clusters can address far more. */
export const sizeBytesMax = 16n * 1024n ** 4n;

/** The record of an empty replica. Its head is created afterwards, as `pending` records. */
export function createRecord(wanted: NewReplica): ReplicaRecord {
  checkSize(wanted.sizeBytes);
  const { volume, volumeUid, replica, state } = wanted;
  const sizeBytes = String(wanted.sizeBytes);
  return {
    format: recordFormat,
    volume,
    replica,
    volumeUid,
    sizeBytes,
    generation: 0,
    engine: '',
    state,
    servedIn: 0,
    killedIn: 0,
    nextId: 1,
    layers: [{ id: 0, file: layerFile(0), parent: null, sizeBytes }],
    head: 0,
    pending: [{ kind: 'create' }],
  };
}

/** @throws AppError `SIZE_REFUSED` */
export function checkSize(sizeBytes: bigint): void {
  if (sizeBytes > 0n && sizeBytes <= sizeBytesMax && sizeBytes % sizeUnitBytes === 0n) return;
  throw replicaError('SIZE_REFUSED', `a replica cannot have ${sizeBytes} bytes`, {
    nextStep: `Choose a multiple of ${sizeUnitBytes} bytes up to ${byteSize(Number(sizeBytesMax))}.`,
  });
}

/** @throws AppError `REPLICA_FOREIGN` */
export function checkIdentity(record: ReplicaRecord, wanted: ReplicaIdentity): void {
  const differing = (['volume', 'volumeUid', 'replica'] as const).filter((name) => record[name] !== wanted[name]);
  if (differing.length === 0) return;
  const found = differing.map((name) => `${name} ${record[name]} instead of ${wanted[name]}`).join(', ');
  throw replicaError('REPLICA_FOREIGN', `this folder belongs to another replica: ${found}; nothing of it was touched`, {
    nextStep: 'Check that the disk is mounted at its own path. If the folder is not needed, remove it as an orphan.',
  });
}
