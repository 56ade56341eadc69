import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';
import type { Movement } from './movement-kind.ts';

/** spec.operationTimeout in ms. @throws OPERATION_TIMEOUT_INVALID naming the value */
export function operationTimeoutOf(object: Movement): number {
  const text = object.spec.operationTimeout;
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0)
    throw new AppError('OPERATION_TIMEOUT_INVALID', `spec.operationTimeout "${text}" is not a positive duration`, {
      nextStep: 'Write it as 10m or 90s.',
    });
  return ms;
}
