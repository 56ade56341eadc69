import type { DataDownload, DataUpload } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { parseDurationMs } from '@lateen/kernel';

/** spec.operationTimeout in ms. @throws OPERATION_TIMEOUT_INVALID naming the value */
export function operationTimeoutOf({ spec }: DataUpload | DataDownload): number {
  const text = spec.operationTimeout;
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0)
    throw new AppError('OPERATION_TIMEOUT_INVALID', `spec.operationTimeout "${text}" is not a positive duration`, {
      nextStep: 'Write it as 10m or 90s.',
    });
  return ms;
}
