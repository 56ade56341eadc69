import { type Area, unsharedAreas } from '@lateen/file-extents';
import type { Host } from '../host/host.ts';
import { volumeLimits } from '../limits.ts';
import { alignedAreas } from './aligned-areas.ts';
import { dataRuns } from './data-runs.ts';

export interface AreasRequest {
  /** A file that is not written meanwhile. */
  file: string;
  sizeBytes: number;
  /** Another such file on the same file system; what both share is left out. */
  since?: { file: string; sizeBytes: number };
  /** Where to begin; what lies before it is left out. */
  startBytes: number;
}

/**
 * The areas of a file that have data, or that may differ from another file: ascending, not adjacent, aligned to `roundBytes`.
 * Outside of them the file is zeros, or equal to the other. Both files are there until this ends. Memory is bounded,
 * whatever the number of areas; it begins again at any `startBytes`.
 *
 * Blocks that two files share cannot change under either of them: a write goes to a new block. So equal addresses are equal bytes.
 * Without reflink nothing is shared, and all data of both files is named.
 */
export async function* snapshotAreas(host: Host, request: AreasRequest, signal: AbortSignal): AsyncGenerator<Area> {
  const { file, sizeBytes, since } = request;
  const granularityBytes = volumeLimits.roundBytes;
  const startBytes = Math.floor(request.startBytes / granularityBytes) * granularityBytes;
  const runsOf = (path: string, endBytes: number) =>
    dataRuns(host, path, { startBytes, sizeBytes: Math.min(endBytes, sizeBytes) }, signal);
  const own = runsOf(file, sizeBytes);
  const areas = since === undefined ? own : unsharedAreas(own, runsOf(since.file, since.sizeBytes));
  yield* alignedAreas(areas, { granularityBytes, sizeBytes });
}
