import { isTerminalPhase } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyOf, type ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { Movement } from './movement-kinds.ts';
import type { VolumePorts } from './volume-ports.ts';

/**
 * Follows a movement until it has ended and returns its last state.
 * @param onChange called for each state seen; never after the promise has settled
 * @throws AppError MOVEMENT_DELETED when the object is deleted first. On abort: rejects; the movement itself continues.
 */
export async function followMovement<T extends Movement>(
  type: ResourceType<T>,
  movement: T,
  onChange: (seen: T) => void,
  { kube, clock }: Pick<VolumePorts, 'kube' | 'clock'>,
  signal: AbortSignal,
): Promise<T> {
  const key = keyOf(movement);
  return await waitForObject<T, T>({
    api: kube,
    type,
    key,
    clock,
    signal,
    until: (seen) => {
      if (seen === undefined)
        throw new AppError('MOVEMENT_DELETED', `${type.kind} ${key.namespace}/${key.name} was deleted before it ended`);
      onChange(seen);
      return isTerminalPhase(seen.status?.phase ?? 'New') ? seen : undefined;
    },
  });
}
