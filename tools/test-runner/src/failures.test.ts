import { describe, expect, it } from 'vitest';
import { failuresOf, tellFailures } from './failures.ts';
import type { VitestReport } from './tally.ts';

const report: VitestReport = {
  success: false,
  numPassedTests: 1,
  numFailedTests: 1,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [
    {
      name: '/work/libs/a/src/a.test.ts',
      status: 'failed',
      assertionResults: [
        { status: 'passed', fullName: 'a works' },
        {
          status: 'failed',
          fullName: 'a breaks',
          failureMessages: ['\u001b[31mError: planted\u001b[39m\n    at a.ts:1'],
        },
      ],
    },
    { name: '/work/libs/b/src/b.test.ts', status: 'failed', message: 'SyntaxError: torn', assertionResults: [] },
    { name: '/work/libs/c/src/c.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] },
  ],
};

describe('the failures at the end of a run', () => {
  it('contain file, test and its error, and files that could not be loaded', () => {
    expect(tellFailures(failuresOf(report, '/work'))).toEqual([
      'What failed:',
      '✗ libs/a/src/a.test.ts > a breaks',
      '    Error: planted',
      '        at a.ts:1',
      '✗ libs/b/src/b.test.ts',
      '    SyntaxError: torn',
      '',
    ]);
  });

  it('are empty when nothing failed, or nothing is known', () => {
    expect(tellFailures([])).toEqual([]);
    expect(failuresOf(undefined, '/work')).toEqual([]);
  });

  it('are short however many there are and however long their texts are', () => {
    const many = Array.from({ length: 25 }, (_, at) => ({ title: `t${at}`, message: 'line\n'.repeat(100) }));
    const told = tellFailures(many);
    expect(told.filter((line) => line.startsWith('✗'))).toHaveLength(20);
    expect(told.filter((line) => line === '    line')).toHaveLength(20 * 12);
    expect(told.at(-2)).toBe('and 5 more');
  });
});
