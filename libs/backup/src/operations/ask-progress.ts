import type { Backup } from '@lateen/api-types';
import type { BackupOperation } from '@lateen/backup-store';
import { describeError, isAppError } from '@lateen/errors';
import type { OperationProgress } from '@lateen/item-actions';
import type { BackupPorts } from '../backup-ports.ts';
import { operationContext } from './operation-followers.ts';

type Ports = Pick<BackupPorts, 'kube' | 'clock' | 'random' | 'log' | 'namespace' | 'actions'>;

/**
 * How far an operation is, as its action says. An action that is not here any more, and a failure that cannot mend itself, end the
 * operation; undefined when nothing can be said now.
 */
export async function askProgress(
  ports: Ports,
  backup: Backup,
  { spec }: BackupOperation,
  signal: AbortSignal,
): Promise<OperationProgress | undefined> {
  const action = ports.actions.backup.find(({ name }) => name === spec.backupItemAction);
  if (action?.progress === undefined)
    return { completed: true, error: `there is no action ${spec.backupItemAction} here that knows the operation` };
  try {
    return await action.progress(spec.operationID, operationContext(ports, backup), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error) && error.retry === 'never') return { completed: true, error: describeError(error) };
    ports.log.warn({ operation: spec.operationID, err: error }, 'an operation does not say how far it is');
    return undefined;
  }
}

/** Asks an operation to end. It may have; whoever wants to know looks at what it did. */
export async function askToEnd(
  ports: Ports,
  backup: Backup,
  { spec }: BackupOperation,
  signal: AbortSignal,
): Promise<void> {
  const action = ports.actions.backup.find(({ name }) => name === spec.backupItemAction);
  try {
    await action?.cancel?.(spec.operationID, operationContext(ports, backup), signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn({ operation: spec.operationID, err: error }, 'an operation cannot be asked to end');
  }
}
