import { expect, it } from 'vitest';
import { customerReport } from './customer-report.ts';

it('finds the longest pause, and transactions that failed', () => {
  const line = (second: number, tps: number, failed = 0) =>
    `progress: ${second}.0 s, ${tps.toFixed(1)} tps, lat 2.100 ms stddev 0.900, ${failed} failed, lag 0.3 ms`;
  const lines = [line(1, 99), line(2, 0), line(3, 80), line(4, 0), line(5, 0), line(6, 200, 2), 'pgbench: error: x'];
  expect(customerReport(lines.join('\n'))).toEqual({ seconds: 6, failed: 2, longestPauseSeconds: 2 });
  expect(customerReport('')).toEqual({ seconds: 0, failed: 0, longestPauseSeconds: 0 });
});
