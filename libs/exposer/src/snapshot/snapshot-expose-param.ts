/** Which snapshot to expose; from DataUpload.spec. */
export interface SnapshotExposeParam {
  sourceNamespace: string;
  sourceClaim: string;
  volumeSnapshot: string;
  storageClass: string;
  /** DataUpload.spec.datamover. */
  dataMover?: string | undefined;
  /** A Go duration, passed to the data mover unchanged. */
  operationTimeout: string;
  /** The same in ms: the longest wait for one deletion. */
  operationTimeoutMs: number;
  /** The data mover is told what it needs to read only what has changed of a block volume since the snapshot that was kept (docs/adr/0082). */
  readsChanges?: boolean | undefined;
  /** The same for the large files of a file system volume (docs/adr/0084). */
  readsChangesOfFiles?: boolean | undefined;
  /** Set for a completed upload whose snapshot stays for the next one (docs/adr/0081). */
  keep?: KeptUpload | undefined;
}

/** What is recorded of an upload whose snapshot stays. */
export interface KeptUpload {
  snapshotID: string;
  backupStorageLocation: string;
}
