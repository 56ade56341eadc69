/** What `restic backup --json` prints on standard output while it runs and at its end. */
export type BackupMessage =
  | {
      kind: 'status';
      doneBytes: number;
      /** What restic has found so far; grows while it counts. */
      totalBytes: number;
    }
  | {
      kind: 'summary';
      /** In 0.14 the first 8 hex digits of the ID. */
      snapshotId: string;
      totalBytes: number;
      /** New to the repository, before compression, folder lists included. */
      addedBytes: number;
    };

/** Parses one line; undefined for any other message of restic. restic leaves out zeroes. */
export function parseBackupMessage(line: string): BackupMessage | undefined {
  const message = tryParse(line);
  if (message?.message_type === 'status') {
    return { kind: 'status', doneBytes: bytesOf(message.bytes_done), totalBytes: bytesOf(message.total_bytes) };
  }
  if (message?.message_type !== 'summary') return undefined;
  const { snapshot_id: snapshotId } = message;
  if (typeof snapshotId !== 'string' || snapshotId === '') return undefined;
  return {
    kind: 'summary',
    snapshotId,
    totalBytes: bytesOf(message.total_bytes_processed),
    addedBytes: bytesOf(message.data_added),
  };
}

function bytesOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function tryParse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
