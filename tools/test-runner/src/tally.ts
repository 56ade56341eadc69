/** Results of the tests of one tier, or of all. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

export const emptyTally: Tally = { passed: 0, failed: 0, skipped: 0 };

export function addTallies(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, tally) => ({
      passed: sum.passed + tally.passed,
      failed: sum.failed + tally.failed,
      skipped: sum.skipped + tally.skipped,
    }),
    emptyTally,
  );
}

/** The last line of `npm test`. */
export function closingLine(tally: Tally): string {
  return `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`;
}

/** The part of vitest's JSON report that is read. */
export interface VitestReport {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: readonly {
    name: string;
    status: string;
    /** Why the file as a whole failed. */
    message?: string;
    assertionResults: readonly { status: string; fullName?: string; failureMessages?: readonly string[] | null }[];
  }[];
}

/**
 * The tally of a vitest run. A file that could not be loaded has no tests, so it counts as one failure; so does a run that failed without
 * naming a test, and a missing report.
 */
export function tallyOfReport(report: VitestReport | undefined, exitCode: number): Tally {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  const unexplained = failed === 0 && (exitCode !== 0 || !report.success) ? 1 : 0;
  return {
    passed: report.numPassedTests,
    failed: failed + unexplained,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
