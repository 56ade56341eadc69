import { type EnvVar, scratchVariable } from '@lateen/api-types';
import { parseQuantity, wholeUnits } from '@lateen/kube';
import type { InheritedPodConfig } from './inherited-pod-config.ts';

/**
 * Tells a mover how large its scratch volume may become, where the installation limits it (`emptyDir.sizeLimit`): the file system
 * below it is the node's and does not show the limit, and the kubelet evicts a pod that exceeds it.
 */
export function scratchVariables({ container, volumes }: Pick<InheritedPodConfig, 'container' | 'volumes'>): EnvVar[] {
  const directory = container.env?.find(({ name }) => name === 'VELERO_SCRATCH_DIR')?.value;
  const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === directory);
  const limit = volumes.find(({ name }) => name === mount?.name)?.emptyDir?.sizeLimit;
  const quantity = limit === undefined ? undefined : parseQuantity(limit);
  return quantity === undefined ? [] : [scratchVariable(wholeUnits(quantity))];
}
