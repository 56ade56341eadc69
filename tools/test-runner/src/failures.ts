import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { VitestReport } from './tally.ts';

/** One failure, as repeated at the end of the run. */
export interface Failure {
  /** File and test, or the title of the check. */
  title: string;
  /** The error of the test, without colors. */
  message: string;
}

const maxShown = 20;
const maxLines = 12;

/** The failed tests of a run, and the files that could not be loaded. `root` shortens their paths. */
export function failuresOf(report: VitestReport | undefined, root: string): readonly Failure[] {
  return (report?.testResults ?? []).flatMap((file) => {
    const path = relative(root, file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && file.status === 'failed') return [{ title: path, message: file.message ?? '' }];
    return failed.map((test) => ({
      title: `${path} > ${test.fullName ?? ''}`,
      message: (test.failureMessages ?? []).join('\n'),
    }));
  });
}

/**
 * Repeats the failures at the end of a run: its output is thousands of lines long, parallel steps print between each other, and a log may
 * keep only its end.
 */
export function tellFailures(failures: readonly Failure[]): readonly string[] {
  if (failures.length === 0) return [];
  const shown = failures.slice(0, maxShown).flatMap(({ title, message }) => [`✗ ${title}`, ...firstLines(message)]);
  const more = failures.length - maxShown;
  return ['What failed:', ...shown, ...(more > 0 ? [`and ${more} more`] : []), ''];
}

function firstLines(message: string): readonly string[] {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.slice(0, maxLines).map((line) => `    ${line}`);
}
