import { isSupportedHere } from '../../checks/new-volume.ts';
import { withCondition } from '../../conditions/with-condition.ts';
import { nameOf } from '../replica-facts.ts';
import type { VolumeStep } from '../volume-seen.ts';

/** Reason of the condition Scheduled of a volume that is not supported, and of the Event that reports this once. */
const reason = 'NotSupported';

const noTags = { nodeTags: new Set<string>(), diskTags: new Set<string>() };

/**
 * Nothing is made for a new volume that requests an unsupported feature (encryption, a backing image): REST, CSI and CLI refuse it, and an object
 * that was written past them would become a volume without that feature. A volume that has an engine or replicas continues unchanged.
 */
export const unsupported: VolumeStep = ({ volume, engine, replicas }, { conditions }, nowMs) => {
  if (engine !== undefined || replicas.length > 0) return undefined;
  const message = isSupportedHere({ name: nameOf(volume), spec: volume.spec, ...noTags });
  if (message === undefined) return undefined;
  const said = conditions?.find(({ type }) => type === 'Scheduled');
  const isNew = said?.reason !== reason || said.message !== message;
  const condition = { type: 'Scheduled', status: 'False', reason, message } as const;
  return {
    status: { state: 'creating', conditions: withCondition(conditions, condition, nowMs) },
    events: isNew ? [{ type: 'Warning', reason, message: `Nothing is created for it: ${message}` }] : [],
    waitsFor: `the unsupported part of its spec to be removed: ${message}`,
    ends: true,
  };
};
