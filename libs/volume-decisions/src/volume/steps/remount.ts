import { apiTime } from '@lateen/kube';
import { volumeStateOf } from '@lateen/storage-types';
import { isServing } from '../volume-facts.ts';
import type { VolumeStep } from '../volume-seen.ts';

/** The code that the host of an engine reports for a front end whose process has ended by itself. */
const frontendEnded = 'FRONTEND_ENDED';

/**
 * A device that has ended below a volume in use: its engine continues, and another device is made as soon as the old one is not mounted any more.
 * Pods that have it mounted get I/O errors permanently, so they have to mount the volume again; each end is reported once.
 */
export const remount: VolumeStep = ({ volume, engine }, status, nowMs) => {
  if (volumeStateOf(volume) !== 'attached' || !isServing(engine)) return undefined;
  const lost = engine.status?.conditions?.find(
    ({ type, status: is, reason }) => type === 'InstanceCreation' && is === 'False' && reason === frontendEnded,
  );
  if (lost === undefined) return undefined;
  const isAsked = Date.parse(status.remountRequestedAt ?? '') >= Date.parse(lost.lastTransitionTime ?? '');
  if (isAsked) return undefined;
  return {
    status: { remountRequestedAt: apiTime(nowMs) },
    events: [{ type: 'Warning', reason: 'DeviceLost', message: `The device has ended: ${lost.message}` }],
  };
};
