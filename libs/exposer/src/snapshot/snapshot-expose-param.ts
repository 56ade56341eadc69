/** Which snapshot to expose; from DataUpload.spec. */
export interface SnapshotExposeParam {
  sourceNamespace: string;
  sourceClaim: string;
  volumeSnapshot: string;
  storageClass: string;
  /** A Go duration, handed to the data mover as it is. */
  operationTimeout: string;
  /** The same in ms: the longest wait for one deletion. */
  operationTimeoutMs: number;
  /** Of an upload that has completed: its snapshot stays for the next one (docs/adr/0081). */
  keep?: KeptUpload | undefined;
}

/** What is noted of an upload whose snapshot stays. */
export interface KeptUpload {
  snapshotID: string;
  backupStorageLocation: string;
}
