import type { Call } from '@lateen/block-engine';
import type { Robustness, Volume } from '@lateen/storage-types';
import type { EngineDeps } from './engine-deps.ts';
import { volumeNamed } from './volume-named.ts';

export interface VolumeCondition {
  readonly abnormal: boolean;
  readonly message: string;
}

export const conditionReplicated = async (deps: EngineDeps, name: string, o: Call): Promise<VolumeCondition> =>
  conditionOf(await volumeNamed(deps, name, o));

const texts: Readonly<Record<Robustness, { abnormal: boolean; text: string }>> = {
  healthy: { abnormal: false, text: 'every replica has all data' },
  degraded: { abnormal: true, text: 'it has fewer healthy replicas than requested' },
  faulted: { abnormal: true, text: 'no replica can be used' },
  // The normal state of an unused volume.
  unknown: { abnormal: false, text: 'it is not in use, so its replicas are not checked' },
};

/** Pure. A replica without a place counts as abnormal too: the volume will never be whole by itself. */
export function conditionOf({ status = {} }: Volume): VolumeCondition {
  const { robustness = 'unknown', conditions } = status;
  const { abnormal, text } = texts[robustness] ?? texts.unknown;
  const scheduled = conditions?.find(({ type }) => type === 'Scheduled');
  const unplaced = scheduled?.status === 'False';
  const why = unplaced ? `; a replica cannot be scheduled: ${scheduled.message || scheduled.reason}` : '';
  return { abnormal: abnormal || unplaced, message: `${text}${why}` };
}
