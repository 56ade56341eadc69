import { daemonSetType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { longhornNamespace } from '@lateen/storage-types';

const referenceManager = { namespace: longhornNamespace, name: 'longhorn-manager' } as const;

/** @throws AppError OTHER_VOLUME_MANAGER, because both would act on the same objects, and neither knows the engines of the other */
export async function refuseReferenceManager(kube: KubeApi, signal: AbortSignal): Promise<void> {
  if ((await readObject(kube, daemonSetType, referenceManager, signal)) === undefined) return;
  const { namespace, name } = referenceManager;
  throw new AppError(
    'OTHER_VOLUME_MANAGER',
    `DaemonSet ${namespace}/${name} is there: Longhorn itself runs in this cluster`,
    {
      nextStep: 'Its volumes cannot be taken over in place. Back them up, remove it, then install and restore.',
    },
  );
}
