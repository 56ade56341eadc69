import type { AppError } from '@lateen/errors';
import { hostError } from './host-errors.ts';

/** Versions of the API between managers and instance managers, from the oldest to the newest that a program speaks. */
export interface HostApi {
  readonly min: number;
  readonly max: number;
}

/**
 * The versions that this release supports. `max` is raised by a change that a peer of the previous release would misunderstand, `min` when the old
 * behaviour is removed: instance managers are replaced only when nothing runs in them, so the two differ for a while.
 */
export const hostApi: HostApi = { min: 1, max: 1 };

/**
 * Why a manager may not change anything on an instance manager; undefined when they have a version in common. Both sides check, because either may be
 * the older one. Reading is always allowed.
 */
export function hostApiProblem(manager: HostApi, instanceManager: HostApi): AppError | undefined {
  if (manager.min <= instanceManager.max && instanceManager.min <= manager.max) return undefined;
  const older = manager.max < instanceManager.min ? 'manager' : 'instance manager';
  return hostError(
    'API_VERSION',
    `the manager speaks version ${rangeText(manager)} of the instance API, the instance manager ${rangeText(instanceManager)}`,
    {
      nextStep:
        older === 'manager'
          ? 'Bring all pods of the volume manager to the same release.'
          : 'Detach the volumes of its node: the instance manager is replaced when nothing runs in it.',
    },
  );
}

const rangeText = ({ min, max }: HostApi) => (min === max ? `${min}` : `${min} to ${max}`);
