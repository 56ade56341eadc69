import type { DataPathProgress, VolumeMode } from './data-path-result.ts';
import type { ReadReport } from './read-report.ts';
import type { RestoreReport } from './restore-report.ts';

/** Whose data a snapshot is; with it the engine finds the parent snapshot. */
export interface SnapshotSource {
  /** The path part of the engine's source: `snapshot-data-upload-download/kopia/<namespace>/<pvc>`. */
  path: string;
  tags: Readonly<Record<string, string>>;
  /**
   * The volume is in use while it is read: files that vanish or change are reported by `UploadResult.warning` and do not fail the
   * upload. Absent, it is a snapshot, where either is an error.
   */
  isLive?: boolean | undefined;
}

export interface UploadRequest {
  volumePath: string;
  volumeMode: VolumeMode;
  source: SnapshotSource;
  /** DataUpload.spec.dataMoverConfig. */
  config: Readonly<Record<string, string>>;
  onProgress(progress: DataPathProgress): void;
  /** Told of what the snapshot cannot hold although the upload goes well; whole sentences, without secrets. */
  onWarning?(text: string): void;
  signal: AbortSignal;
}

export interface UploadResult {
  snapshotID: string;
  totalBytes: number;
  incrementalBytes: number;
  /** Of a live volume: what vanished and changed while it was read, counted, the first by name. One sentence, told by `onWarning` too. */
  warning?: string | undefined;
  /** Of a block volume whose changes were asked for. */
  readReport?: ReadReport | undefined;
}

export interface DownloadRequest {
  snapshotID: string;
  volumePath: string;
  volumeMode: VolumeMode;
  /** DataDownload.spec.dataMoverConfig. */
  config: Readonly<Record<string, string>>;
  onProgress(progress: DataPathProgress): void;
  /** Told of what is not as in the source although the restore goes well; whole sentences, without secrets. */
  onWarning?(text: string): void;
  signal: AbortSignal;
}

export interface DownloadResult {
  totalBytes: number;
  /** Absent when the engine tells nothing but that it is done. */
  report?: RestoreReport | undefined;
}

/**
 * An engine that moves the bytes of one volume to and from a repository that is already connected.
 * On abort: the engine is asked to end (SIGINT, then SIGKILL after a grace period), the repository is left without a
 * lock, and the call rejects with the signal's reason. Failures are AppErrors whose message carries the engine's last
 * lines; codes UPLOADER_…; passwords are in none of them.
 */
export interface Uploader {
  upload(request: UploadRequest): Promise<UploadResult>;
  download(request: DownloadRequest): Promise<DownloadResult>;
}
