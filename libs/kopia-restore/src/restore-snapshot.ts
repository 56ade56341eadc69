import type { DataPathProgress, RestoreReport } from '@lateen/datapath';
import type { Clock } from '@lateen/kernel';
import type { KopiaRepository, ObjectId } from '@lateen/kopia-format';
import type { PackReader } from '@lateen/pack-reader';
import type { EntryAttributes } from '@lateen/volume-writer';
import type { WorkerPool } from '@lateen/worker-pool';
import { deleteExtraEntries } from './delete-extra-entries.ts';
import { figuresSince } from './figures-since.ts';
import { limitOf } from './limit-of.ts';
import { type ReportFigures, reportOf } from './report-of.ts';
import { RestoreCounts } from './restore-counts.ts';
import type { RestoreLimits, RestorePorts } from './restore-ports.ts';
import type { RestoreTask, RestoreTaskResult, TakenAsThere } from './restore-task.ts';
import { restoreFile, restoreTree } from './restore-tree.ts';
import { snapshotFolders, snapshotObjects } from './snapshot-objects.ts';
import { UnsyncedFiles } from './unsynced-files.ts';

/** What every restore takes. */
export interface RestoreOptions {
  repository: Pick<KopiaRepository, 'locate' | 'readContent'>;
  reader: PackReader;
  /** Runs `serveRestore` for the same target. */
  pool: WorkerPool<RestoreTask, RestoreTaskResult>;
  clock: Clock;
  /** Of this process with all its threads, in seconds. */
  cpuSeconds(): number;
  totalBytes: number;
  totalFiles: number | undefined;
  limits: RestoreLimits;
  machine: Pick<ReportFigures, 'cpus' | 'bytesPerSecondMax'>;
  onProgress(progress: DataPathProgress): void;
  /** What the system may hold of files that are not on the storage; undefined for as much as it likes. */
  unsyncedBytesMax: number | undefined;
}

/** A tree, for a volume of mode Filesystem. */
export interface TreeToRestore {
  root: { objectId: ObjectId; attributes: EntryAttributes };
  there: TakenAsThere;
  /** What the snapshot does not have goes. */
  deletesExtra?: boolean | undefined;
  /** Brings all that is written to the storage. */
  flush(signal: AbortSignal): Promise<void>;
}

export interface RestoredSnapshot {
  counts: RestoreCounts;
  report: RestoreReport;
}

/** How often progress is reported. */
const progressEveryMs = 1_000;

/**
 * Fills a volume of mode Filesystem with a snapshot: whole packs in, files out. Everything is written, and nothing is flushed, when it
 * resolves. On abort or failure: rejects when no thread writes any more, with the signal's reason or the first
 * failure; the volume then holds whole files, large files that lack their time, and folders without attributes.
 */
export function restoreSnapshot(
  options: RestoreOptions,
  { root, there, deletesExtra, flush }: TreeToRestore,
  signal: AbortSignal,
): Promise<RestoredSnapshot> {
  return restoring(options, targetOf(there, false), signal, async (ports, counts) => {
    if (deletesExtra === true) await deleteExtraEntries(ports, options.limits, root.objectId, signal);
    const folder = { path: '', attributes: root.attributes };
    const settings = { limits: options.limits, there };
    const { unsyncedBytesMax: bytesMax } = options;
    const unsynced = bytesMax === undefined ? undefined : new UnsyncedFiles(() => flush(signal), bytesMax);
    const filling = restoreTree({ ...ports, unsynced }, settings, { folder, objectId: root.objectId }, counts, signal);
    await filling.finally(() => unsynced?.settled());
    unsynced?.throwIfFailed();
  });
}

/** Fills a device from offset 0 with an object of `totalBytes`. As `restoreSnapshot`, but for what the volume holds. */
export function restoreDevice(
  options: RestoreOptions,
  { objectId, there }: { objectId: ObjectId; there: TakenAsThere },
  signal: AbortSignal,
): Promise<RestoredSnapshot> {
  return restoring(options, targetOf(there, true), signal, async (ports, counts) => {
    const settings = { limits: options.limits, there };
    const attributes = { mode: 0, uid: 0, gid: 0, mtimeNs: 0n };
    const entry = {
      ...attributes,
      name: '',
      type: 'file' as const,
      size: options.totalBytes,
      objectId,
      tree: undefined,
    };
    await restoreFile(ports, settings, { entry, folder: { path: '', attributes } }, counts, signal);
  });
}

/** What the figures of a restore may be about. */
interface Target {
  /** Whether existing files of the target are checked. */
  looks: boolean;
  isDevice: boolean;
}

const targetOf = ({ sinceNs, skipsUnchanged }: TakenAsThere, isDevice: boolean): Target => ({
  looks: skipsUnchanged || sinceNs !== undefined,
  isDevice,
});

/** Tells progress while `fill` works, and how it went. */
async function restoring(
  options: RestoreOptions,
  target: Target,
  signal: AbortSignal,
  fill: (ports: RestorePorts, counts: RestoreCounts) => Promise<void>,
): Promise<RestoredSnapshot> {
  const { repository, reader, pool, clock } = options;
  const counts = new RestoreCounts();
  const figures = figuresOf(options, target, counts);
  const over = new AbortController();
  const telling = tellEachSecond(options, figures, AbortSignal.any([signal, over.signal]));
  const objects = snapshotObjects(repository);
  const folders = (ends: AbortSignal) => snapshotFolders(repository, ends);
  try {
    await fill({ objects, folders, reader, pool, clock }, counts);
  } finally {
    over.abort();
    await telling;
  }
  return { counts, report: reportOf(figures()) };
}

/** What is not known, or means nothing for this volume, is left out. */
function volumeFigures({ comparedBytes, unchangedBytes, writtenBytes }: RestoreCounts, { looks, isDevice }: Target) {
  return { ...(looks ? { comparedBytes, unchangedBytes } : {}), ...(isDevice ? { writtenBytes } : {}) };
}

function figuresOf(options: RestoreOptions, target: Target, counts: RestoreCounts): () => ReportFigures {
  const { clock, cpuSeconds, reader, machine } = options;
  const [startMs, cpuAtStart, readBefore] = [clock.now(), cpuSeconds(), reader.figures];
  return () => ({
    ...machine,
    seconds: (clock.now() - startMs) / 1000,
    cpuSeconds: cpuSeconds() - cpuAtStart,
    files: counts.files,
    bytes: counts.bytes,
    reader: figuresSince(readBefore, reader.figures),
    volume: volumeFigures(counts, target),
  });
}

async function tellEachSecond(
  { clock, onProgress, totalBytes, totalFiles }: RestoreOptions,
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
