import { volumeStateOf } from '@lateen/storage-types';
import { contentOf } from '../../content/content-of.ts';
import { isFresh } from '../volume-facts.ts';
import type { VolumeStep } from '../volume-seen.ts';

/**
 * A volume that begins with data other than zeros: before it has an engine, the status records that the content is still to come; from
 * then on the kind of the content decides the next step ({@link contentOf}).
 */
export const content: VolumeStep = (seen, status, nowMs) => {
  const found = contentOf(seen.volume);
  if (found === undefined || found.state === 'there') return undefined;
  if (found.state !== 'unmarked') return found.kind.next(seen, status, nowMs);
  return {
    status: {
      state: volumeStateOf(seen.volume) || 'creating',
      ...found.kind.mark(seen, { isFresh: isFresh(seen) }, nowMs),
    },
    waitsFor: 'it is recorded that its content is still to come',
    ends: true,
  };
};
