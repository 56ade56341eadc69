import { type PrintedSize, parseSize } from './kopia-size.ts';

/** One progress line of `kopia restore`. */
export interface RestoreProgress {
  restored: PrintedSize;
  /** What has been found so far; grows while directories are read. */
  enqueued: PrintedSize;
}

const restore = /Processed \d+ \(([^)]+)\) of \d+ \(([^)]+)\)/;

export function parseRestoreProgress(line: string): RestoreProgress | undefined {
  const match = restore.exec(line);
  const [restored, enqueued] = [parseSize(match?.[1] ?? ''), parseSize(match?.[2] ?? '')];
  return restored === undefined || enqueued === undefined ? undefined : { restored, enqueued };
}
