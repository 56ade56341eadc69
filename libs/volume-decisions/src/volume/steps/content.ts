import { volumeStateOf } from '@lateen/storage-types';
import { contentRefusal } from '../../checks/new-volume.ts';
import { withCondition } from '../../conditions/with-condition.ts';
import { isFresh } from '../volume-facts.ts';
import type { VolumeStep } from '../volume-seen.ts';

/**
 * A volume that is to begin with other data than zeros is not made at all while nothing brings these: an empty one would pass for it. Clients
 * are refused before; this is for an object that somebody has written past them.
 */
export const content: VolumeStep = (seen, status, nowMs) => {
  const message = contentRefusal(seen.volume.spec);
  if (message === undefined || !isFresh(seen)) return undefined;
  const condition = { type: 'Restore', status: 'False', reason: 'NotSupported', message } as const;
  const isNew = status.conditions?.find(({ type }) => type === 'Restore')?.message !== message;
  return {
    status: {
      state: volumeStateOf(seen.volume) || 'creating',
      conditions: withCondition(status.conditions, condition, nowMs),
    },
    events: isNew ? [{ type: 'Warning', reason: 'NotSupported', message }] : [],
    waitsFor: message,
    ends: true,
  };
};
