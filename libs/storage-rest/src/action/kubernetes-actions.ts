import { recurringJobGroupLabel, recurringJobLabel, storageLabelValues } from '@lateen/storage-types';
import { checkHasNoClaim, checkHasNoPersistentVolume, checkNotStandby } from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import type { Input } from './read-input.ts';
import { type DecideAction, factsOf, unlessRefused } from './volume-action-seen.ts';

export const pvCreate: DecideAction = (input, seen) => {
  const { pvName = '' } = seen.volume.status?.kubernetesStatus ?? {};
  unlessRefused(checkNotStandby(factsOf(seen), 'create PV'), checkHasNoPersistentVolume(pvName));
  return {
    intent: {
      do: 'create-pv',
      pvName: input.text('pvName') || nameOf(seen.volume),
      fsType: input.text('fsType'),
      secretName: input.text('secretName'),
      secretNamespace: input.text('secretNamespace'),
      storageClassName: input.text('storageClassName'),
    },
  };
};

/** A claim that used the volume once, and is gone, stands in the way of none. */
export const pvcCreate: DecideAction = (input, seen) => {
  const { pvcName = '', lastPVCRefAt = '' } = seen.volume.status?.kubernetesStatus ?? {};
  unlessRefused(checkNotStandby(factsOf(seen), 'create PVC'), checkHasNoClaim(lastPVCRefAt === '' ? pvcName : ''));
  const wanted = { namespace: input.text('namespace'), pvcName: input.text('pvcName') || nameOf(seen.volume) };
  return { intent: { do: 'create-pvc', ...wanted } };
};

function jobLabel(input: Input): string {
  const name = input.text('name');
  if (name === '') throw refused('recurring job name is required');
  return input.flag('isGroup') ? recurringJobGroupLabel(name) : recurringJobLabel(name);
}

export const recurringJobAdd: DecideAction = (input) => ({
  intent: { do: 'set-labels', labels: { [jobLabel(input)]: storageLabelValues.enabled } },
});

export const recurringJobDelete: DecideAction = (input) => ({
  intent: { do: 'set-labels', labels: { [jobLabel(input)]: null } },
});
