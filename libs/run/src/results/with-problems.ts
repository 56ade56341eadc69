import { type ResultLine, type Results, resultLine, resultLinesMax } from '@lateen/backup-store';
import type { LogFields } from '@lateen/kernel';

/** What went wrong after the log of a run was stored: an error of the run. `fields` as of a line of its log. */
export interface RunProblem {
  fields: LogFields;
  message: string;
}

/**
 * Results with problems among their errors, each once however often it is told: whoever comes after a controller that stopped here finds
 * those that are in them already. Pure.
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
