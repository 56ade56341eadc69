import { type Area, type DataRun, unsharedAreas } from '@lateen/file-extents';
import type { FileState } from './file-state.ts';

/** What may differ between two snapshots of a device. It may say too much, never too little. */
export interface ChangedBytes {
  /** Of the device. */
  readonly sizeBytes: number;
  /** The changed ranges that the range touches, in ascending order, cut at both its ends. */
  within(range: { offset: number; length: number }): Iterable<{ offset: number; length: number }>;
}

/** One file of two snapshots. */
export interface FilePair {
  before: Pick<FileState, 'sizeBytes' | 'runs'>;
  now: Pick<FileState, 'sizeBytes' | 'runs'>;
  /** What may differ between the devices of the two snapshots. */
  changed: ChangedBytes;
  chunkBytes: number;
}

/**
 * The chunks of the file whose bytes may differ, in ascending order; chunk n is bytes n x chunkBytes and following, and the last one
 * may be shorter. A chunk is left out only if
 * - it has the same length in both,
 * - each of its bytes is in a hole in both, or lies at the same known place of the device in both, and
 * - none of these places has changed.
 * Then its bytes are equal, whatever has happened to the file in between: they were read from the same places, and these hold the
 * same. Pure.
 */
export async function changedChunks(pair: FilePair): Promise<number[]> {
  const { now, before, chunkBytes } = pair;
  const chunks = new Uint8Array(Math.ceil(now.sizeBytes / chunkBytes));
  const mark = ({ startBytes, endBytes }: Area): void => {
    const end = Math.min(endBytes, now.sizeBytes);
    if (startBytes < end) chunks.fill(1, Math.floor(startBytes / chunkBytes), Math.floor((end - 1) / chunkBytes) + 1);
  };
  if (before.sizeBytes !== now.sizeBytes) {
    const common = Math.min(before.sizeBytes, now.sizeBytes);
    mark({ startBytes: common - (common % chunkBytes), endBytes: now.sizeBytes });
  }
  for await (const area of unsharedAreas(runsIn(now), runsIn(before))) mark(area);
  for (const run of now.runs) for (const area of changedIn(run, pair.changed)) mark(area);
  return [...chunks.keys()].filter((chunk) => chunks[chunk] === 1);
}

/** Blocks go beyond the end of a file; there, nothing belongs to it. */
async function* runsIn({ runs, sizeBytes }: FilePair['now']): AsyncGenerator<DataRun> {
  for (const run of runs) if (run.startBytes < sizeBytes) yield { ...run, endBytes: Math.min(run.endBytes, sizeBytes) };
}

/** The parts of a run whose place has changed; all of it if that place cannot be on the device. */
function* changedIn(run: DataRun, changed: ChangedBytes): Generator<Area> {
  const { startBytes, endBytes, home } = run;
  const length = endBytes - startBytes;
  // A run without a home is named by the comparison of the maps already.
  if (home === undefined) return;
  if (home < 0 || home + length > changed.sizeBytes) return yield run;
  for (const range of changed.within({ offset: home, length })) {
    const start = startBytes + range.offset - home;
    yield { startBytes: start, endBytes: start + range.length };
  }
}
