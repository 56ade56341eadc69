import type { Int64, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** A snapshot of a volume, kept beside its data. */
export interface Snapshot extends KubeObject {
  spec: SnapshotSpec;
  status?: SnapshotStatus;
}

/** Which snapshot it is. */
export interface SnapshotSpec {
  /** Name of the Volume. */
  volume: string;
  /** Whether a snapshot is to be taken; otherwise the object stands for one that is there. */
  createSnapshot?: boolean;
  /** Labels to take it with. */
  labels?: Record<string, string> | null;
}

/** What is known of a snapshot. */
export interface SnapshotStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Whether it can be read, reverted to and backed up. */
  readyToUse?: boolean;
  /** Name of the snapshot before it; empty for the first one. */
  parent?: string;
  /** Names of those that come after it. */
  children?: Record<string, boolean> | null;
  /** Bytes that it takes. */
  size?: Int64;
  /** Bytes of a volume that is made of it. */
  restoreSize?: Int64;
  /** When it was asked for. */
  requestedTime?: TimeText;
  /** When it was taken. */
  creationTime?: TimeText;
  /** Whether somebody asked for it. */
  userCreated?: boolean;
  /** Whether it is to go with the next purge. */
  markRemoved?: boolean;
  /** Labels it was taken with. */
  labels?: Record<string, string> | null;
  /** Checksum of its data. */
  checksum?: string;
  /** When the checksum was last computed. */
  checksumCalculatedAt?: TimeText;
  /** What is wrong with it. */
  error?: string;
}

export const snapshotType = longhornType<Snapshot>('Snapshot', 'snapshots');
