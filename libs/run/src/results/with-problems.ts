import { type ResultLine, type Results, resultLine, resultLinesMax } from '@lateen/backup-store';
import type { LogFields } from '@lateen/kernel';

/** A problem after the log of a run was stored: an error of the run. `fields` are those of a log line. */
export interface RunProblem {
  fields: LogFields;
  message: string;
}

/**
 * Adds problems to the errors of results, each only once: after a crash, the next controller finds the problems that are stored
 * already. Pure.
 */
export function withProblems(
  before: Results,
  problems: readonly RunProblem[],
  redact: (text: string) => string,
): Results {
  const results = structuredClone(before);
  results.errors ??= {};
  for (const { fields, message } of problems) addLine(results, resultLine(fields, message, redact));
  return results;
}

function addLine({ errors }: Results, { bucket, text }: ResultLine): void {
  if (typeof bucket === 'string') {
    errors[bucket] = withText(errors[bucket] ?? [], text);
    return;
  }
  errors.namespaces ??= {};
  errors.namespaces[bucket.namespace] = withText(errors.namespaces[bucket.namespace] ?? [], text);
}

const withText = (texts: string[], text: string): string[] =>
  texts.includes(text) || texts.length >= resultLinesMax ? texts : [...texts, text];
