import { describeError, isAppError } from '@lateen/errors';
import type { OperationProgress } from '@lateen/item-actions';
import type { RunObject } from '../run-object.ts';
import type { OperationFiles, OperationsKind, RunOperation } from './operations-kind.ts';

type Asked<R extends RunObject, O extends RunOperation, C> = Pick<
  OperationsKind<R, O, C, OperationFiles<O>>,
  'actions' | 'actionOf' | 'contextOf' | 'log'
>;

/**
 * The progress of an operation, from its action. When the action no longer exists, or fails in a way that cannot pass, the
 * operation ends; undefined when the progress cannot be read now.
 */
export async function askProgress<R extends RunObject, O extends RunOperation, C>(
  kind: Asked<R, O, C>,
  run: R,
  operation: O,
  signal: AbortSignal,
): Promise<OperationProgress | undefined> {
  const { operationID } = operation.spec;
  const by = kind.actionOf(operation);
  const action = kind.actions.find(({ name }) => name === by);
  if (action?.progress === undefined)
    return { completed: true, error: `there is no action ${by} here that knows the operation` };
  try {
    return await action.progress(operationID, kind.contextOf(run), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error) && error.retry === 'never') return { completed: true, error: describeError(error) };
    kind.log.warn({ operation: operationID, err: error }, 'an operation does not say how far it is');
    return undefined;
  }
}

/** Asks an operation to end. Whether it has ended shows in its progress. */
export async function askToEnd<R extends RunObject, O extends RunOperation, C>(
  kind: Asked<R, O, C>,
  run: R,
  operation: O,
  signal: AbortSignal,
): Promise<void> {
  const { operationID } = operation.spec;
  const by = kind.actionOf(operation);
  const action = kind.actions.find(({ name }) => name === by);
  try {
    await action?.cancel?.(operationID, kind.contextOf(run), signal);
  } catch (error) {
    signal.throwIfAborted();
    kind.log.warn({ operation: operationID, err: error }, 'an operation cannot be asked to end');
  }
}
