import { attemptOf, movementReasons } from '@lateen/api-types';
import { type AppError, describeError } from '@lateen/errors';
import { type RetryPolicy, retry } from '@lateen/kernel';
import { isNotFound, keyOf, retryOnConflict } from '@lateen/kube';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import { phaseOf } from '../status/phase-moves.ts';
import { isTransient } from '../transient-error.ts';
import { type RecordEndPorts, recordBackoff } from './record-end.ts';

/**
 * Records, in an Event and in status.message of a Completed movement, that the exit of its pod contradicts the success. The phase
 * stays: a terminal phase never changes, and its readers have already acted on it. Never rejects: a failed write is logged and
 * must not delay the clean-up. On abort the record may or may not be written.
 */
export async function recordContradiction<T extends Movement>(
  ports: RecordEndPorts,
  kind: MovementKind<T>,
  object: T,
  error: AppError,
  signal: AbortSignal,
): Promise<void> {
  const { kube, log, tell } = ports;
  const message = contradictionText(kind, error);
  tell(object, movementReasons.contradicted, message);
  const write = async () => {
    const latest = await kube.get(kind.type, keyOf(object), { signal });
    const isAnother = latest.metadata.uid !== object.metadata.uid || attemptOf(latest) !== attemptOf(object);
    if (isAnother || phaseOf(latest) !== 'Completed') return;
    const body = { metadata: { resourceVersion: latest.metadata.resourceVersion }, status: { message } };
    await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal });
  };
  const policy: RetryPolicy = { backoff: recordBackoff, mayRetry: isTransient };
  try {
    await retry(ports, policy, () => retryOnConflict(write), signal);
  } catch (cause) {
    if (!signal.aborted && !isNotFound(cause))
      log.error({ err: cause, text: message }, 'a contradiction could not be reported');
  }
}

function contradictionText(
  { verb, writesVolume }: Pick<MovementKind<Movement>, 'verb' | 'writesVolume'>,
  error: AppError,
): string {
  const why = describeError(error).replace(/\.$/, '');
  const advice = writesVolume
    ? 'Check the volume before you rely on it, or restore again.'
    : 'Restore from it once before you rely on it, or back up again.';
  return `the mover reported that the ${verb} is complete, but the end of its pod says otherwise: ${why}. ${advice}`;
}
