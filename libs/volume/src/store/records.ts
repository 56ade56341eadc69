import type { RecordKind } from '../volume-id.ts';

/**
 * `creating`: the intent is on disk, the data may be there in part. `ready`: whole.
 * `deleting`: it must not be used any more. A restart rolls `creating` back and `deleting` forward.
 */
export type RecordState = 'creating' | 'ready' | 'deleting';

export type FileSystemType = 'ext4' | 'xfs';

export interface FileSystemRecord {
  type: FileSystemType;
  /** `formatting`: mkfs was started and may have been killed; what is on the device is not a file system yet. */
  state: 'formatting' | 'ready';
  /** The device size that the file system was last made or grown for; 0 when unknown. */
  sizeBytes: number;
}

export interface ContentSource {
  kind: RecordKind;
  id: string;
}

interface BaseRecord {
  id: string;
  name: string;
  state: RecordState;
  createdAtMs: number;
  fileSystem?: FileSystemRecord;
  /** Mount points frozen for the copy that makes this record's data; thawed by recovery. Only while `creating`. */
  frozenMounts?: string[];
}

export interface VolumeRecord extends BaseRecord {
  kind: 'volume';
  capacityBytes: number;
  source?: ContentSource;
  /** A staging mount that is off while its ext4 grows; put back by recovery or by the repeated call. */
  remount?: { at: string; flags: string[] };
  /** Staged read-only on purpose, so that a read-only file system is no sign of an error. */
  isReadOnly?: boolean;
  /** What a stage request without a file system type gets. */
  defaultFileSystem?: FileSystemType;
}

export interface SnapshotRecord extends BaseRecord {
  kind: 'snapshot';
  sourceVolumeId: string;
  sizeBytes: number;
  /** As its creator gave them. */
  labels?: Readonly<Record<string, string>>;
}

export type AnyRecord = VolumeRecord | SnapshotRecord;
