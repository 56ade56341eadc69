import { type EngineDropReplica, hostError } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import { orAborted } from '@lateen/kernel';
import { type FailureKind, failureKinds } from '@lateen/replica-set';
import type { LiveEngine } from '../engine/live-engine.ts';

/**
 * Removes a replica from the set, and resolves when that is recorded. Acknowledged writes are flushed on the other replicas before. Does nothing when
 * it is not in the set.
 * @throws `NOT_POSSIBLE_NOW` for the last readable one, or when the others do not answer
 */
export async function dropReplica(
  engine: LiveEngine,
  { replica, cause, message }: EngineDropReplica,
  signal: AbortSignal,
): Promise<void> {
  const { ports, limits, ended } = engine.parts;
  const either = AbortSignal.any([signal, ended]);
  if (!engine.members.includes(replica)) return;
  if (!engine.readable.some((name) => name !== replica)) throw lastOne(replica);
  const kind = failureKinds.find((known): known is FailureKind => known === cause) ?? 'evicted';
  if (engine.readable.includes(replica)) {
    const late = ports.clock.deadline(limits.flushMs);
    await orAborted(engine.set.target.flush(), AbortSignal.any([either, late])).catch((error: unknown) => {
      either.throwIfAborted();
      throw hostError('NOT_POSSIBLE_NOW', 'not all acknowledged writes could be flushed to disk', { cause: error });
    });
  }
  try {
    await orAborted(engine.set.drop(replica, { kind, message }), either);
  } catch (error) {
    if (isAppError(error, 'LAST_REPLICA')) throw lastOne(replica);
    // It has left the set by itself meanwhile.
    if (!isAppError(error, 'NO_SUCH_REPLICA')) throw error;
  }
}

const lastOne = (replica: string) =>
  hostError('NOT_POSSIBLE_NOW', `${replica} is the last replica that can be read`, {
    nextStep: 'Wait until another replica is rebuilt.',
  });
