import type { RestoreReport } from '@lateen/datapath';
import type { PackReaderFigures } from '@lateen/pack-reader';
import { type LimitFigures, limitOf } from './limit-of.ts';

/** What was restored, in what time. */
export interface ReportFigures extends Omit<LimitFigures, 'reader'> {
  files: number;
  bytes: number;
  reader: PackReaderFigures;
  /** What the volume had, and what was written to it; see `RestoreReport`. */
  volume: Pick<RestoreReport, 'comparedBytes' | 'unchangedBytes' | 'writtenBytes'>;
}

/** Rates are of the whole time, also that in which nothing was written yet. Pure. */
export function reportOf(figures: ReportFigures): RestoreReport {
  const { files, bytes, reader } = figures;
  const seconds = Math.max(figures.seconds, 0.001);
  return {
    reader: 'packs',
    limitedBy: limitOf(figures),
    files,
    filesPerSecond: Math.round(files / seconds),
    bytesPerSecond: Math.round(bytes / seconds),
    storeBytes: reader.fetchedBytes,
    storeRequests: reader.requests,
    storeLatencyMs: Math.round(reader.latencyMs),
    storeRequestsInFlight: reader.inFlight,
    seconds: Math.round(figures.seconds * 1000) / 1000,
    ...figures.volume,
  };
}
