import type { DataPathProgress, RestoreReport } from '@lateen/datapath';
import type { Clock } from '@lateen/kernel';
import type { KopiaRepository, ObjectId } from '@lateen/kopia-format';
import type { PackReader } from '@lateen/pack-reader';
import type { EntryAttributes } from '@lateen/volume-writer';
import type { WorkerPool } from '@lateen/worker-pool';
import { limitOf } from './limit-of.ts';
import { type ReportFigures, reportOf } from './report-of.ts';
import { RestoreCounts } from './restore-counts.ts';
import type { RestoreTask, RestoreTaskResult, TakenAsThere } from './restore-task.ts';
import { restoreTree } from './restore-tree.ts';
import type { BatchLimits } from './slice-batches.ts';
import { folderReader, snapshotObjects } from './snapshot-objects.ts';
import type { WindowLimits } from './windows.ts';

export interface RestoreSnapshotOptions {
  repository: Pick<KopiaRepository, 'locate' | 'readContent'>;
  reader: PackReader;
  /** Runs `restoreWorker` for the same volume. */
  pool: WorkerPool<RestoreTask, RestoreTaskResult>;
  clock: Clock;
  /** Of this process with all its threads, in seconds. */
  cpuSeconds(): number;
  root: { objectId: ObjectId; attributes: EntryAttributes };
  totalBytes: number;
  totalFiles: number | undefined;
  there: TakenAsThere;
  limits: WindowLimits & BatchLimits;
  machine: Pick<ReportFigures, 'cpus' | 'inFlightMax' | 'bytesPerSecondMax'>;
  onProgress(progress: DataPathProgress): void;
}

export interface RestoredSnapshot {
  counts: RestoreCounts;
  report: RestoreReport;
}

/** How often progress is told. */
const progressEveryMs = 1_000;

/**
 * Fills a volume of mode Filesystem with a snapshot: whole packs in, files out. Everything is written, and nothing is flushed, when it
 * resolves. On abort or failure: rejects when no thread writes any more, with the signal's reason or the first
 * failure; the volume then holds whole files, large files that lack their time, and folders without attributes.
 */
export async function restoreSnapshot(options: RestoreSnapshotOptions, signal: AbortSignal): Promise<RestoredSnapshot> {
  const { repository, reader, pool, clock, root, there, limits } = options;
  const counts = new RestoreCounts();
  const figures = figuresOf(options, counts);
  const over = new AbortController();
  const telling = tellEachSecond(options, figures, AbortSignal.any([signal, over.signal]));
  try {
    const ports = {
      objects: snapshotObjects(repository),
      readFolder: (ends: AbortSignal) => folderReader(repository, ends),
      reader,
      pool,
      clock,
    };
    const folder = { path: '', attributes: root.attributes };
    await restoreTree(ports, { limits, there }, { folder, objectId: root.objectId }, counts, signal);
  } finally {
    over.abort();
    await telling;
  }
  return { counts, report: reportOf(figures()) };
}

function figuresOf(options: RestoreSnapshotOptions, counts: RestoreCounts): () => ReportFigures {
  const { clock, cpuSeconds, reader, machine } = options;
  const [startMs, cpuAtStart] = [clock.now(), cpuSeconds()];
  return () => ({
    ...machine,
    seconds: (clock.now() - startMs) / 1000,
    cpuSeconds: cpuSeconds() - cpuAtStart,
    files: counts.files,
    bytes: counts.bytes,
    reader: reader.figures,
  });
}

async function tellEachSecond(
  { clock, onProgress, totalBytes, totalFiles }: RestoreSnapshotOptions,
  figures: () => ReportFigures,
  signal: AbortSignal,
): Promise<void> {
  const total = { totalBytes, ...(totalFiles === undefined ? {} : { totalFiles }) };
  while (!signal.aborted) {
    const now = figures();
    onProgress({
      ...total,
      doneBytes: Math.min(now.bytes, totalBytes),
      doneFiles: Math.min(now.files, totalFiles ?? now.files),
      limitedBy: limitOf(now),
    });
    await clock.sleep(progressEveryMs, signal).catch(() => {});
  }
}
