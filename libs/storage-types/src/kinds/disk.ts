import type { Int64, Integer, Timestamp } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';

/** Ours are folders of a file system. */
export const diskTypes = ['filesystem', 'block'] as const;
export type DiskType = (typeof diskTypes)[number];

export const diskDrivers = ['', 'auto', 'aio', 'nvme'] as const;
export type DiskDriver = (typeof diskDrivers)[number];

/** Types of a disk's conditions (longhorn.md section 1). */
export const diskConditionTypes = ['Ready', 'Schedulable', 'Error'] as const;
export type DiskConditionType = (typeof diskConditionTypes)[number];

/** A disk as its administrator describes it. */
export interface DiskSpec {
  /** Whether the path is a folder or a device. */
  diskType?: DiskType;
  /** Path on the node. */
  path?: string;
  /** How a device is accessed. */
  diskDriver?: DiskDriver;
  /** Whether new replicas may be put there. */
  allowScheduling?: boolean;
  /** Whether all replicas are to move away. */
  evictionRequested?: boolean;
  /** Bytes that replicas may not use. */
  storageReserved?: Int64;
  /** Tags that a volume can select by. */
  tags?: string[];
}

/** A disk as it was found. */
export interface DiskStatus {
  /** What holds for the disk. */
  conditions?: Condition[] | null;
  /** Bytes that are free. */
  storageAvailable?: Int64;
  /** Bytes that replicas on the disk may grow to. */
  storageScheduled?: Int64;
  /** Bytes in all. */
  storageMaximum?: Int64;
  /** Size in bytes of each replica on the disk, by the name of the Replica. */
  scheduledReplica?: Record<string, Int64> | null;
  /** Size in bytes of each backing image on the disk, by name. */
  scheduledBackingImage?: Record<string, Int64> | null;
  /** Identity that is written on the disk. */
  diskUUID?: string;
  /** Name of the disk in the node's spec. */
  diskName?: string;
  /** Path on the node. */
  diskPath?: string;
  /**
   * Whether the path is a folder or a device.
   * @unchecked
   */
  diskType?: DiskType;
  /**
   * How a device is accessed.
   * @unchecked
   */
  diskDriver?: DiskDriver;
  /** File system of the disk. */
  filesystemType?: string;
  /** Name of the InstanceManager that serves the disk. */
  instanceManagerName?: string;
  /** What the devices below say of their health, by device. */
  healthData?: Record<string, DiskHealth>;
  /** When that was last read. */
  healthDataLastCollectedAt?: Timestamp;
}

/** What a device says of its health. */
export interface DiskHealth {
  /** Who says so. */
  source?: 'SMART' | 'SPDK';
  /** Verdict on the whole. */
  healthStatus?: 'FAILED' | 'PASSED' | 'UNKNOWN' | 'WARNING';
  /** Name of the device. */
  diskName?: string;
  /** Type of the device. */
  diskType?: string;
  /** Model of the device. */
  modelName?: string;
  /** Serial number of the device. */
  serialNumber?: string;
  /** Version of its firmware. */
  firmwareVersion?: string;
  /** Bytes of the device. */
  capacity?: Int64;
  /** Degrees Celsius. */
  temperature?: Integer;
  /** Single values. */
  attributes?: DiskHealthAttribute[];
}

/** One value of a device's health. */
export interface DiskHealthAttribute {
  /** Number of the attribute. */
  id?: Integer;
  /** Name of the attribute. */
  name?: string;
  /** Value, normalized. */
  value?: Integer;
  /** Lowest value so far. */
  worst?: Integer;
  /** Value below which the device counts as failed. */
  threshold?: Integer;
  /** When it was below that. */
  whenFailed?: string;
  /** Value as the device counts it. */
  rawValue?: Int64;
  /** The same in words. */
  rawString?: string;
}
