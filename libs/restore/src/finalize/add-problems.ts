import { type RestoreStore, type ResultLine, type Results, resultLine } from '@lateen/backup-store';
import type { LogFields } from '@lateen/kernel';

/** What went wrong after the log of a restore was stored: an error of the restore. `fields` as of a line of its log. */
export interface FinalizingProblem {
  fields: LogFields;
  message: string;
}

/** Puts problems into the results of a restore. Whoever comes after a controller that stopped here finds those that are in them already. */
export async function addProblems(
  files: RestoreStore,
  restore: string,
  { problems, redact }: { problems: readonly FinalizingProblem[]; redact: (text: string) => string },
  signal: AbortSignal,
): Promise<void> {
  if (problems.length === 0) return;
  const results = await files.getResults(restore, { signal });
  for (const { fields, message } of problems) addLine(results, resultLine(fields, message, redact));
  await files.putResults(restore, results, { signal });
}

function addLine({ errors }: Results, { bucket, text }: ResultLine): void {
  if (typeof bucket === 'string') {
    errors[bucket] = withLine(errors[bucket], text);
    return;
  }
  const { namespace } = bucket;
  errors.namespaces = { ...errors.namespaces, [namespace]: withLine(errors.namespaces?.[namespace], text) };
}

const withLine = (lines: readonly string[] | null | undefined, text: string): string[] =>
  lines?.includes(text) ? [...lines] : [...(lines ?? []), text];
