import { type BlockVolumeErrorCode, blockVolumeError } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';

const codes: Readonly<Record<string, Record<'volume' | 'snapshot', BlockVolumeErrorCode>>> = {
  INVALID_ARGUMENT: { volume: 'INVALID_ARGUMENT', snapshot: 'INVALID_ARGUMENT' },
  NOT_FOUND: { volume: 'VOLUME_NOT_FOUND', snapshot: 'SNAPSHOT_NOT_FOUND' },
  ALREADY_EXISTS: { volume: 'VOLUME_EXISTS', snapshot: 'SNAPSHOT_EXISTS' },
  OUT_OF_RANGE: { volume: 'OUT_OF_RANGE', snapshot: 'OUT_OF_RANGE' },
  FAILED_PRECONDITION: { volume: 'NOT_POSSIBLE_NOW', snapshot: 'NOT_POSSIBLE_NOW' },
  RESOURCE_EXHAUSTED: { volume: 'NO_ROOM', snapshot: 'NO_ROOM' },
  ABORTED: { volume: 'VOLUME_BUSY', snapshot: 'VOLUME_BUSY' },
  RECORD_UNREADABLE: { volume: 'VOLUME_FAULTED', snapshot: 'VOLUME_FAULTED' },
};

/** An error of this library in the words of the port; `what` was looked for. Others stay as they are. */
export function asEngineError(error: unknown, what: 'volume' | 'snapshot'): unknown {
  const code = isAppError(error) ? codes[error.code]?.[what] : undefined;
  if (!isAppError(error) || code === undefined) return error;
  const { message, nextStep = nextSteps[code], details } = error;
  return blockVolumeError(code, message, { cause: error, details, ...(nextStep === undefined ? {} : { nextStep }) });
}

/** For those that this library gives none. */
const nextSteps: Readonly<Partial<Record<BlockVolumeErrorCode, string>>> = {
  INVALID_ARGUMENT: 'Correct the request.',
  VOLUME_NOT_FOUND: 'List the existing volumes.',
  SNAPSHOT_NOT_FOUND: 'List the snapshots of the volume.',
  VOLUME_EXISTS: 'Use another name, or the size and source that it has.',
  SNAPSHOT_EXISTS: 'Use another name.',
  OUT_OF_RANGE: 'Ask for a size that a volume can have and that is not smaller than it is.',
  NOT_POSSIBLE_NOW: 'Repeat the call when the condition is met.',
};
