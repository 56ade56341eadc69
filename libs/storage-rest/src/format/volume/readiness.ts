import type { Volume } from '@lateen/storage-types';

/** Why a volume cannot be attached or moved now, in the words that clients know; empty when it can. */
export function notReadyMessage({ spec, status = {} }: Pick<Volume, 'spec' | 'status'>): string {
  const { state = '', cloneStatus } = status;
  const scheduled = status.conditions?.find(({ type }) => type === 'Scheduled');
  if ((spec.nodeID ?? '') === '' && state !== 'detached')
    return `waiting for the volume to fully detach. current state: ${state}`;
  if (state === 'detached' && scheduled?.status !== 'True')
    return 'volume is currently in detached state with some un-schedulable replicas';
  if (status.robustness === 'faulted') return 'volume is faulted';
  if (isCloning(spec.dataSource, cloneStatus?.state))
    return 'volume request cloning data but has not finished copying data';
  return status.restoreRequired === true ? 'volume requires restoration' : '';
}

const copied: readonly string[] = ['copy-completed-awaiting-healthy', 'completed'];
const isCloning = (source = '', state = ''): boolean => source !== '' && !copied.includes(state);
