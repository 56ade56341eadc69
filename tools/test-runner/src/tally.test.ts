import { describe, expect, it } from 'vitest';
import { addTallies, closingLine, tallyOfReport, type VitestReport } from './tally.ts';

const report = (part: Partial<VitestReport>): VitestReport => ({
  success: true,
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 0,
  testResults: [],
  ...part,
});

describe('the tally', () => {
  it('counts what vitest reports', () => {
    expect(tallyOfReport(report({}), 0)).toEqual({ passed: 3, failed: 0, skipped: 1 });
  });
  it('counts a file that could not be loaded as a failure', () => {
    const testResults = [{ name: 'a.test.ts', status: 'failed', assertionResults: [] }];
    expect(tallyOfReport(report({ success: false, testResults }), 1).failed).toBe(1);
  });
  it('counts a file with a failed test once', () => {
    const testResults = [{ name: 'a.test.ts', status: 'failed', assertionResults: [{ status: 'failed' }] }];
    expect(tallyOfReport(report({ success: false, numFailedTests: 1, testResults }), 1).failed).toBe(1);
  });
  it('never reports success for a run that exited with an error, or that left no report', () => {
    expect(tallyOfReport(report({}), 1).failed).toBe(1);
    expect(tallyOfReport(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
  it('is printed as one line for all tiers', () => {
    const sum = addTallies([
      { passed: 1, failed: 0, skipped: 2 },
      { passed: 3, failed: 1, skipped: 0 },
    ]);
    expect(closingLine(sum)).toBe('4 passed, 1 failed, 2 skipped');
  });
});
