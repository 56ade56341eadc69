import type { RestoreThroughput } from '@lateen/api-types';
import type { BackupResult, DataPathProgress, RestoreReport, RestoreResult, VolumeMode } from '@lateen/datapath';
import { RateWindow } from '@lateen/kernel';

/** The throughput of a running transfer: its counts, and the recent rates. */
export class RunningThroughput {
  readonly #files = new RateWindow();
  readonly #bytes = new RateWindow();

  /** @param atMs time of a monotonic clock */
  see({ doneBytes = 0, doneFiles = 0 }: DataPathProgress, atMs: number): void {
    this.#bytes.see(atMs, doneBytes);
    this.#files.see(atMs, doneFiles);
  }

  of({ totalFiles, doneFiles, limitedBy }: DataPathProgress): RestoreThroughput {
    return whole({
      filesDone: doneFiles,
      totalFiles,
      filesPerSecond: this.#files.perSecond(),
      bytesPerSecond: this.#bytes.perSecond(),
      limitedBy,
    });
  }
}

/** The status fields of a restore that come from its result. */
export const restoredStatus = (result: BackupResult | RestoreResult): { throughput?: RestoreThroughput } =>
  'report' in result && result.report !== undefined
    ? { throughput: throughputOf(result.report, result.target.volumeMode) }
    : {};

/** The throughput of a completed restore. Null where the running transfer may have set a value that no longer applies. */
export function throughputOf(report: RestoreReport, volumeMode: VolumeMode): RestoreThroughput {
  const { storeLatencyMs, seconds } = report;
  // A device has no files.
  const files = volumeMode === 'Filesystem' && report.files > 0 ? report.files : undefined;
  const told = whole({
    filesDone: files,
    totalFiles: files,
    filesPerSecond: files === undefined ? undefined : report.filesPerSecond,
    bytesPerSecond: report.bytesPerSecond,
    limitedBy: report.limitedBy,
    reader: report.reader,
    readerReason: report.reason,
    storeBytes: report.storeBytes,
    storeRequests: report.storeRequests,
    storeRequestsInFlight: report.storeRequestsInFlight,
    storeLatencyMilliseconds: storeLatencyMs,
    comparedBytes: report.comparedBytes,
    unchangedBytes: report.unchangedBytes,
    writtenBytes: report.writtenBytes,
    durationMilliseconds: seconds * 1_000,
  });
  return { ...untold, ...told } as RestoreThroughput;
}

/** For a merge patch: removes the values of the running transfer that the report does not have. */
const untold = { filesDone: null, totalFiles: null, filesPerSecond: null, bytesPerSecond: null, limitedBy: null };

/** The API has no fractions; unknown values are left out. */
function whole(figures: Readonly<Record<string, string | number | undefined>>): RestoreThroughput {
  const known = Object.entries(figures).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(
    known.map(([name, value]) => [name, typeof value === 'number' ? Math.round(value) : value]),
  );
}
