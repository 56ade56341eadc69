import { clientIdentity, type SnapshotIdentity } from '@lateen/repository';

/** The one file of a block volume's snapshot, and what a snapshot says of itself. */
export interface VolumeSnapshot {
  source: SnapshotIdentity;
  /** Of file and folder: the path of the device, as `kopia snapshot create --stdin-file` has it. */
  fileName: string;
  sizeBytes: number;
  /** The file. */
  objectId: string;
  startMs: number;
  endMs: number;
}

/** Go's zero, as kopia writes it for the folder of a stream, which has no time of its own. */
const noTime = '1754-08-30T22:43:41.128654848Z';

const timeText = (ms: number): string => new Date(ms).toISOString();

/** What a folder says of all below it. Field for field what kopia writes (fs, DirectorySummary). */
const summaryOf = ({ sizeBytes, startMs }: VolumeSnapshot) => ({
  size: sizeBytes,
  files: 1,
  symlinks: 0,
  dirs: 1,
  maxTime: timeText(startMs),
  numFailed: 0,
});

/** The folder of the one file: the bytes of a content with the prefix `k`. */
export function folderText(snapshot: VolumeSnapshot): string {
  const { fileName: name, sizeBytes: size, startMs, objectId: obj } = snapshot;
  const file = { name, type: 'f', mode: '0777', size, mtime: timeText(startMs), obj };
  return `${JSON.stringify({ stream: 'kopia:directory', entries: [file], summary: summaryOf(snapshot) })}\n`;
}

/** By these kopia and Velero find snapshots. Each tag is a label under its own name, as Velero has it (data-movement.md section 9). */
export const snapshotLabels = ({ path, tags }: SnapshotIdentity): Record<string, string> => ({
  ...tags,
  ...sourceLabels(path),
});

/** The labels that all snapshots of a source have, whatever program wrote them. */
export const sourceLabels = (path: string): Record<string, string> => ({
  type: 'snapshot',
  hostname: clientIdentity.hostname,
  username: clientIdentity.username,
  path,
});

/** The manifest of a snapshot whose folder is `rootObject` (data-movement.md section 9, "Snapshot manifest"). */
export function manifestText(snapshot: VolumeSnapshot, rootObject: string): string {
  const { source, fileName, sizeBytes, startMs, endMs } = snapshot;
  const { username: userName, hostname: host } = clientIdentity;
  const none = { excludedFileCount: 0, excludedDirCount: 0, ignoredErrorCount: 0, errorCount: 0 };
  const counts = { fileCount: 1, cachedFiles: 0, nonCachedFiles: 1, dirCount: 1 };
  return JSON.stringify({
    id: '',
    source: { host, userName, path: source.path },
    description: 'Kopia Uploader',
    startTime: timeText(startMs),
    endTime: timeText(endMs),
    stats: { totalSize: sizeBytes, excludedTotalSize: 0, ...counts, ...none },
    rootEntry: { name: fileName, type: 'd', mode: '0777', mtime: noTime, obj: rootObject, summ: summaryOf(snapshot) },
    tags: source.tags,
    pins: ['velero-pin'],
  });
}
