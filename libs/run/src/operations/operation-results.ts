import { type Results, resultLinesMax } from '@lateen/backup-store';
import type { RunOperation } from './operations-kind.ts';

/** The results of a run with the errors of its operations, each once however often it is told. Pure. */
export function withOperationErrors<O extends RunOperation>(
  before: Results,
  failed: readonly O[],
  actionOf: (operation: O) => string,
): Results {
  const results = structuredClone(before);
  results.errors ??= {};
  for (const operation of failed) {
    const { spec, status } = operation;
    const { Resource, Name, Namespace } = spec.resourceIdentifier;
    const text = ` resource: /${Resource} name: /${Name} message: /operation ${spec.operationID} of ${actionOf(operation)} failed error: /${status.error ?? 'unknown'}`;
    if (Namespace === '') {
      results.errors.cluster = withText(results.errors.cluster ?? [], text);
      continue;
    }
    results.errors.namespaces ??= {};
    results.errors.namespaces[Namespace] = withText(results.errors.namespaces[Namespace] ?? [], text);
  }
  return results;
}

const withText = (texts: string[], text: string): string[] =>
  texts.includes(text) || texts.length >= resultLinesMax ? texts : [...texts, text];
