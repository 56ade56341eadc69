import type { BackupResult, RestoreResult } from '@lateen/datapath';
import type { Logger } from '@lateen/kernel';
import { type KubeApi, keyOf, retryOnConflict } from '@lateen/kube';
import type { Movement, MovementKind, MovementPatch } from '../kinds/movement-kind.ts';
import { isAnother } from '../status/attempt.ts';
import { phaseOf } from '../status/phase-moves.ts';
import { isTransient } from '../transient-error.ts';

/** The status fields that a successful data path sets, beside phase and times. */
export function resultStatus<T extends Movement>(
  kind: MovementKind<T>,
  result: BackupResult | RestoreResult,
): MovementPatch<T> {
  const { totalBytes } = result;
  const progress = { totalBytes, bytesDone: totalBytes };
  return { ...kind.completedStatus(result), progress } as MovementPatch<T>;
}

/**
 * Writes the result of a data path into the status of a movement that still runs. The step after the data path deletes the
 * hosting pod, and with it every record of the result: after a crash of this process, the next one reads the result here. Makes
 * no call when the result is only a number of bytes, and writes nothing when the object is another movement or has ended.
 * @throws what the API server says when it is away; a refusal is only logged, because the volume matters more
 */
export async function noteResult<T extends Movement>(
  { kube, log }: { kube: KubeApi; log: Logger },
  kind: MovementKind<T>,
  object: NoInfer<T>,
  result: BackupResult | RestoreResult,
  signal: AbortSignal,
): Promise<void> {
  if (Object.keys(kind.completedStatus(result)).length === 0) return;
  const write = async () => {
    const latest = await kube.get(kind.type, keyOf(object), { signal });
    if (isAnother(latest, object) || !['InProgress', 'Canceling'].includes(phaseOf(latest))) return;
    const { resourceVersion } = latest.metadata;
    const body = { metadata: { resourceVersion }, status: resultStatus(kind, result) };
    await kube.patch(kind.type, keyOf(object), { type: 'merge', body }, { signal });
  };
  try {
    await retryOnConflict(write);
  } catch (error) {
    if (signal.aborted || isTransient(error)) throw error;
    log.warn({ err: error }, 'the result of the data path could not be recorded before the volume is bound');
  }
}
