/** What the customers saw. */
export interface CustomerReport {
  /** Number of seconds that pgbench has reported. */
  seconds: number;
  failed: number;
  /** Longest time without a transaction, in whole seconds. */
  longestPauseSeconds: number;
}

/** Parses pgbench's progress lines, one per second. */
export function customerReport(progress: string): CustomerReport {
  const report: CustomerReport = { seconds: 0, failed: 0, longestPauseSeconds: 0 };
  let pause = 0;
  for (const [, tps, failed] of progress.matchAll(/^progress: [\d.]+ s, ([\d.]+) tps, .*?(\d+) failed/gm)) {
    report.seconds++;
    report.failed += Number(failed);
    pause = Number(tps) === 0 ? pause + 1 : 0;
    report.longestPauseSeconds = Math.max(report.longestPauseSeconds, pause);
  }
  return report;
}
