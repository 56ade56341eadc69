import { volumeStateOf } from '@lateen/storage-types';
import { withCondition } from '../../conditions/with-condition.ts';
import { contentOf } from '../../content/content-of.ts';
import { isFresh } from '../volume-facts.ts';
import type { StepResult, VolumeSeen, VolumeStep } from '../volume-seen.ts';

/**
 * A volume that is to begin with other data than zeros: before it has an engine it is written down that its content is still to come, and from
 * then on the kind of that content decides what is next ({@link contentOf}).
 */
export const content: VolumeStep = (seen, status, nowMs) => {
  const found = contentOf(seen.volume);
  if (found === undefined || found.state === 'there') return undefined;
  const fresh = isFresh(seen);
  const { refusal } = found.kind;
  if (refusal !== undefined) return fresh ? refused(seen, refusal, nowMs) : undefined;
  if (found.state === 'pending') return found.kind.next(seen, status, nowMs);
  return {
    status: { state: volumeStateOf(seen.volume) || 'creating', ...found.kind.mark(seen, { isFresh: fresh }, nowMs) },
    waitsFor: 'it is written down that its content is still to come',
    ends: true,
  };
};

/**
 * It is not made at all: an empty one would pass for it. Clients are refused before; this is for an object that somebody has written past
 * them.
 */
function refused({ volume }: VolumeSeen, message: string, nowMs: number): StepResult {
  const { status = {} } = volume;
  const condition = { type: 'Restore', status: 'False', reason: 'NotSupported', message } as const;
  const isNew = status.conditions?.find(({ type }) => type === 'Restore')?.message !== message;
  return {
    status: {
      state: volumeStateOf(volume) || 'creating',
      conditions: withCondition(status.conditions, condition, nowMs),
    },
    events: isNew ? [{ type: 'Warning', reason: 'NotSupported', message }] : [],
    waitsFor: message,
    ends: true,
  };
}
