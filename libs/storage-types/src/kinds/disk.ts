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

/** Settings of a disk of the node. */
export interface DiskSpec {
  /** `filesystem`: a directory. `block`: a block device; Lateen does not support it. */
  diskType?: DiskType;
  /** Path of the disk on the node, such as `/var/lib/longhorn/`. */
  path?: string;
  /** How a block device is accessed: `auto`, `aio` or `nvme`. Empty for directories. */
  diskDriver?: DiskDriver;
  /** Whether new replicas may be placed on the disk. `false`: the existing ones stay. Default: `false`. */
  allowScheduling?: boolean;
  /** `true`: all replicas leave the disk; each is built on another disk first. Needs `allowScheduling: false`. Default: `false`. */
  evictionRequested?: boolean;
  /** Bytes of the disk that replicas may not use. Default: 0. */
  storageReserved?: Int64;
  /** Tags of the disk, which `diskSelector` of a volume names. Empty: only volumes without diskSelector use the disk. */
  tags?: string[];
}

/** State of a disk of the node. */
export interface DiskStatus {
  /** Conditions of the disk. `Ready`: it can be used. `Schedulable`: it has room for new replicas. `Error`: what is wrong with it. */
  conditions?: Condition[] | null;
  /** Free space of the disk, in bytes. */
  storageAvailable?: Int64;
  /** Sum of the sizes of all replicas on the disk, in bytes: the space that they may need one day. */
  storageScheduled?: Int64;
  /** Size of the disk in bytes. */
  storageMaximum?: Int64;
  /** Size of each replica on the disk, in bytes. Key: name of the Replica. */
  scheduledReplica?: Record<string, Int64> | null;
  /** Size of each backing image on the disk, in bytes. Key: name of the BackingImage. Empty in Lateen, which has no backing images. */
  scheduledBackingImage?: Record<string, Int64> | null;
  /** Identity of the disk. It is stored in a file on the disk, so that another disk at the same path is recognized. */
  diskUUID?: string;
  /** Name of the disk: its key in `spec.disks`. */
  diskName?: string;
  /** Path of the disk on the node. */
  diskPath?: string;
  /**
   * `filesystem` for a directory, `block` for a block device.
   * @unchecked
   */
  diskType?: DiskType;
  /**
   * How a block device is accessed. Empty for directories.
   * @unchecked
   */
  diskDriver?: DiskDriver;
  /** Type of the file system, such as `xfs` or `ext2/ext3`. */
  filesystemType?: string;
  /** Name of the InstanceManager that serves the replicas on the disk. */
  instanceManagerName?: string;
  /** Health that the devices below the disk report, such as SMART values. Key: name of the device. Lateen does not read it. */
  healthData?: Record<string, DiskHealth>;
  /** When healthData was last read. */
  healthDataLastCollectedAt?: Timestamp;
}

/** Health that a device reports. */
export interface DiskHealth {
  /** Where the values come from: `SMART` or `SPDK`. */
  source?: 'SMART' | 'SPDK';
  /** Overall health: `PASSED`, `WARNING`, `FAILED` or `UNKNOWN`. */
  healthStatus?: 'FAILED' | 'PASSED' | 'UNKNOWN' | 'WARNING';
  /** Name of the device, such as `sda`. */
  diskName?: string;
  /** Type of the device, such as `nvme`. */
  diskType?: string;
  /** Model name that the device reports. */
  modelName?: string;
  /** Serial number that the device reports. */
  serialNumber?: string;
  /** Version of the device's firmware. */
  firmwareVersion?: string;
  /** Size of the device in bytes. */
  capacity?: Int64;
  /** Temperature of the device in degrees Celsius. */
  temperature?: Integer;
  /** Single health values, such as the number of reallocated sectors. */
  attributes?: DiskHealthAttribute[];
}

/** A single health value of a device. */
export interface DiskHealthAttribute {
  /** Number of the attribute, as SMART defines it. */
  id?: Integer;
  /** Name of the attribute, as SMART defines it. */
  name?: string;
  /** Current value on the scale of the device. Higher is better. */
  value?: Integer;
  /** Lowest value so far. */
  worst?: Integer;
  /** The device counts as failed when value is at or below this. */
  threshold?: Integer;
  /** When value was at or below the threshold. Empty: never. */
  whenFailed?: string;
  /** Value in the unit of the device, for example a count. */
  rawValue?: Int64;
  /** The raw value as text, with its unit. */
  rawString?: string;
}
