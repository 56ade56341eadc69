import type { BackupOperation, BackupStore, ItemOutcome } from '@lateen/backup-store';
import { isAppError } from '@lateen/errors';
import { apiVersionOf } from '@lateen/kube';
import type { BackupPorts } from '../backup-ports.ts';

/**
 * Records the failure of objects whose operation failed, which was unknown when their outcomes were written. The file is rewritten as a
 * stream, and only when there is such an object. Safe to repeat.
 */
export async function writeFailedOutcomes(
  { discovery }: Pick<BackupPorts, 'discovery'>,
  files: Pick<BackupStore, 'readItemOutcomes' | 'writeItemOutcomes'>,
  { name, operations }: { name: string; operations: readonly BackupOperation[] },
  signal: AbortSignal,
): Promise<void> {
  const failed = await failedOutcomes({ discovery }, operations, signal);
  if (failed.size === 0) return;
  await files.writeItemOutcomes(name, replaced(files.readItemOutcomes(name, { signal }), failed), { signal });
}

/** Failed outcomes by object. Objects of a kind that is not served any more cannot be identified. */
async function failedOutcomes(
  { discovery }: Pick<BackupPorts, 'discovery'>,
  operations: readonly BackupOperation[],
  signal: AbortSignal,
): Promise<Map<string, ItemOutcome>> {
  const failed = new Map<string, ItemOutcome>();
  for (const { spec, status } of operations) {
    if (status.phase !== 'Failed') continue;
    const { Group, Resource, Namespace, Name } = spec.resourceIdentifier;
    try {
      const type = await discovery.findResourceType(Group === '' ? Resource : `${Resource}.${Group}`, { signal });
      const outcome: ItemOutcome = {
        apiVersion: apiVersionOf(type),
        kind: type.kind,
        ...(Namespace === '' ? {} : { namespace: Namespace }),
        name: Name,
        outcome: 'Failed',
        reason: status.error ?? 'unknown',
        by: spec.backupItemAction,
      };
      failed.set(keyOf(outcome), outcome);
    } catch (error) {
      if (!isAppError(error, 'KUBE_RESOURCE_UNKNOWN')) throw error;
    }
  }
  return failed;
}

/** Objects that the file does not list come last: backups of another product have no such file. */
async function* replaced(
  outcomes: AsyncIterable<ItemOutcome>,
  failed: ReadonlyMap<string, ItemOutcome>,
): AsyncGenerator<string> {
  const left = new Map(failed);
  for await (const outcome of outcomes) {
    const key = keyOf(outcome);
    const after = failed.get(key);
    left.delete(key);
    yield JSON.stringify(after === undefined ? outcome : { ...after, apiVersion: outcome.apiVersion });
  }
  for (const outcome of left.values()) yield JSON.stringify(outcome);
}

/** The key has no version, because a backup may have several versions of an object. */
const keyOf = ({ apiVersion, kind, namespace = '', name }: ItemOutcome): string =>
  [apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0)), kind, namespace, name].join('/');
