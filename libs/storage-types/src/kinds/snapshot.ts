import type { Int64, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** A snapshot of a volume, stored in the volume's replicas. Deleting this object deletes the snapshot. */
export interface Snapshot extends KubeObject {
  spec: SnapshotSpec;
  status?: SnapshotStatus;
}

/** Which volume the snapshot belongs to, and whether it has to be taken. */
export interface SnapshotSpec {
  /** Name of the Volume. */
  volume: string;
  /**
   * `true`: the snapshot is taken, if the volume does not have it. `false`: the object stands for a snapshot that exists. Default: `false`.
   */
  createSnapshot?: boolean;
  /** Labels that are stored with the snapshot when it is taken. */
  labels?: Record<string, string> | null;
}

/** State and size of the snapshot. */
export interface SnapshotStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** Whether the snapshot can be read, backed up and reverted to. `false`: it is not taken yet, was removed, or has an error. */
  readyToUse?: boolean;
  /** Name of the snapshot before this one. Empty: it is the first one. */
  parent?: string;
  /** Names of the snapshots after this one, as keys. `volume-head` is the current data of the volume. */
  children?: Record<string, boolean> | null;
  /** Space that the snapshot takes on one replica, in bytes. */
  size?: Int64;
  /** Size in bytes of a volume that is created from the snapshot. */
  restoreSize?: Int64;
  /** When the snapshot was requested, if that is known. */
  requestedTime?: TimeText;
  /** When the snapshot was taken. */
  creationTime?: TimeText;
  /** `true`: a user or a recurring job asked for it. `false`: the volume manager took it for itself, for example for a rebuild. */
  userCreated?: boolean;
  /** `true`: the snapshot was deleted, and its data will be merged into the next one. */
  markRemoved?: boolean;
  /** Labels that the snapshot was taken with. */
  labels?: Record<string, string> | null;
  /** Checksum of the data of the snapshot. Empty: not computed yet. */
  checksum?: string;
  /** When the checksum was last computed. */
  checksumCalculatedAt?: TimeText;
  /** Why the snapshot cannot be used. Empty: no error. */
  error?: string;
}

export const snapshotType = longhornType<Snapshot>('Snapshot', 'snapshots');
