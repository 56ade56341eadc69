import { AppError, type AppErrorOptions } from '@lateen/errors';

/** The codes of this library. All but the last two are gRPC status names and reach the caller as such. */
export type VolumeErrorCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'OUT_OF_RANGE'
  | 'FAILED_PRECONDITION'
  | 'RESOURCE_EXHAUSTED'
  | 'ABORTED'
  | 'UNAVAILABLE'
  | 'UNIMPLEMENTED'
  | 'COMMAND_FAILED'
  | 'RECORD_UNREADABLE';

export function volumeError(code: VolumeErrorCode, message: string, options: AppErrorOptions = {}): AppError {
  return new AppError(code, message, options);
}
