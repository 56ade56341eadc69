import type { ReadReport } from './read-report.ts';
import type { RestoreLimit, RestoreReport } from './restore-report.ts';

/** `Filesystem` or `Block`, as `--volume-mode` and PersistentVolumeClaim.spec.volumeMode spell it. */
export type VolumeMode = 'Filesystem' | 'Block';

/** Where a volume is reachable inside the hosting pod (design "VGDP Micro Service", VGDP-MS). */
export interface AccessPoint {
  byPath: string;
  volumeMode: VolumeMode;
}

/** The Data-Path-Completed message and the termination message of `data-mover backup` (data-movement.md section 7). */
export interface BackupResult {
  /** kopia: the manifest ID, 32 hex digits. */
  snapshotID: string;
  emptySnapshot: boolean;
  source: AccessPoint;
  totalBytes: number;
  /** Estimated total less what came from the cache of the parent snapshot. */
  incrementalBytes: number;
  /** What a person should know of a backup that went well: files that vanished or changed meanwhile. Our addition. */
  warning?: string | undefined;
  /** Of a block volume whose changes were asked for. Our addition. */
  readReport?: ReadReport | undefined;
}

/** The same of `data-mover restore`. */
export interface RestoreResult {
  target: AccessPoint;
  totalBytes: number;
  /** Our addition; Velero passes over what it does not know. */
  report?: RestoreReport | undefined;
}

/** The Data-Path-Progress message; zero is left out on the wire. Mind `doneBytes` here and `bytesDone` in the CR. */
export interface DataPathProgress {
  totalBytes?: number;
  doneBytes?: number;
  /** Files, links and other entries that are no folders; 0 and absent for a device. This and what follows is our addition. */
  totalFiles?: number;
  doneFiles?: number;
  /** What the data path is limited by right now. */
  limitedBy?: RestoreLimit | undefined;
}
