/** What is known of the file system of a volume and of the device below it. */
export interface DeviceFacts {
  /** As `mountinfo` names it; undefined if nothing is mounted at the path of the volume. */
  fileSystem: string | undefined;
  /** Options of the file system in effect (`mountinfo`'s super options; for ext4 `/proc/fs/ext4/DEVICE/options` in addition). */
  options: readonly string[];
  /** Undefined if the file system is on no block device of its own. */
  device:
    | {
        sizeBytes: number;
        isPartition: boolean;
        /** A device of device-mapper (LVM, dm-crypt, multipath), an array, or any other that is made of devices. */
        isStacked: boolean;
        /** Of a loop device: where in its file it begins; 0 for all others. */
        offsetBytes: number;
      }
    | undefined;
}

/** Why places on the device of a file system are not places of the volume, or hold other bytes than its files. */
export const deviceDoubts = {
  noIdentity: 'the file system does not tell its identity',
  notMounted: 'nothing is mounted at the path of the volume',
  fileSystem: 'changed blocks of files are known for ext4 and xfs only',
  noDevice: 'the file system is not on a block device',
  partition: 'the file system is on a partition',
  stacked: 'the file system is on a device that is made of others (LVM, encryption, RAID)',
  offset: 'the file system does not begin where the volume begins',
  otherSize: 'the device of the file system has another size than the volume',
  severalDevices: 'the file system has a second device',
  dataInJournal: 'the file system may have data in its journal',
} as const;

export type DeviceDoubt = (typeof deviceDoubts)[keyof typeof deviceDoubts];

const secondDevice = /^(rtdev|logdev|journal_dev|journal_path)=/;

/**
 * Whether a place that FIEMAP names is that place of the volume, and holds the bytes of the file in the snapshot itself, before the
 * journal was replayed: undefined if so, else the reason why nothing can be concluded. `sizeBytes` is the size of the volume whose
 * changes are known; undefined before any are. Pure.
 */
export function deviceDoubt(facts: DeviceFacts, sizeBytes: number | undefined): DeviceDoubt | undefined {
  const { fileSystem, options, device } = facts;
  if (fileSystem === undefined) return deviceDoubts.notMounted;
  if (fileSystem !== 'ext4' && fileSystem !== 'xfs') return deviceDoubts.fileSystem;
  if (device === undefined) return deviceDoubts.noDevice;
  if (device.isPartition) return deviceDoubts.partition;
  if (device.isStacked) return deviceDoubts.stacked;
  if (device.offsetBytes !== 0) return deviceDoubts.offset;
  if (sizeBytes !== undefined && device.sizeBytes !== sizeBytes) return deviceDoubts.otherSize;
  if (options.some((option) => secondDevice.test(option))) return deviceDoubts.severalDevices;
  // Replaying such a journal writes data to places that have not changed between the snapshots.
  if (fileSystem === 'ext4' && !options.includes('data=ordered')) return deviceDoubts.dataInJournal;
  return undefined;
}

/** Attributes of ext4 files, as `lsattr` prints them, that do not change where the bytes are. `e`: its map has extents. */
const plainExt4 = /^[-aAcCdDeiIsStTu]*e[-aAcCdDeiIsStTu]*$/;
/** Attributes of xfs files, as xfs_io's `lsattr` prints them; `r` (the realtime device) is not among them. */
const plainXfs = /^[-piasAdtPneEfSxCX]*$/;

/** Whether the map of a file with these attributes says where its bytes are: not if they are in the journal or on another device. Pure. */
export const isPlain = (fileSystem: string, attributes: string): boolean =>
  (fileSystem === 'xfs' ? plainXfs : plainExt4).test(attributes);
