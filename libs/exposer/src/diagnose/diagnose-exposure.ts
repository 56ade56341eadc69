import type { KubeApi } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import type { ExposureSeen } from './exposure-seen.ts';
import { type DiagnoseScope, gatherExposure } from './gather-exposure.ts';
import { rootCause } from './root-cause.ts';

/**
 * Finds out why an exposure is not ready: reads the objects of the owner's name, what they wait for and their Events, and returns
 * the cause nearest to the root with the next step. `refused` is the newest call of the exposure that the API server refused.
 * Undefined when nothing is found. Bounded (see {@link gatherExposure}) and without side effects, so it may be called at any
 * time. On abort: rejects with the signal's reason.
 * @throws KUBE_… other than KUBE_FORBIDDEN
 */
export async function diagnoseExposure(
  kube: KubeApi,
  owner: ExposeOwner,
  scope: DiagnoseScope & Pick<ExposureSeen, 'refused' | 'podVolume'>,
): Promise<string | undefined> {
  const seen = await gatherExposure(kube, owner, scope);
  return rootCause({ ...seen, refused: scope.refused, podVolume: scope.podVolume });
}
