import { type BackupOperation, type Results, resultLinesMax } from '@lateen/backup-store';

/** The results of a backup with the errors of its operations, each once however often it is told. Pure. */
export function withOperationErrors(before: Results, failed: readonly BackupOperation[]): Results {
  const results = structuredClone(before);
  results.errors ??= {};
  for (const { spec, status } of failed) {
    const { Resource, Name, Namespace } = spec.resourceIdentifier;
    const text = ` resource: /${Resource} name: /${Name} message: /operation ${spec.operationID} of ${spec.backupItemAction} failed error: /${status.error ?? 'unknown'}`;
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
