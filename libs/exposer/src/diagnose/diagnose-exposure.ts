import type { KubeApi } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import type { ExposureSeen } from './exposure-seen.ts';
import { type DiagnoseScope, gatherExposure } from './gather-exposure.ts';
import { rootCause } from './root-cause.ts';

/**
 * Why an exposure is not ready: looks at the objects that bear the owner's name, at what they wait for and at their
 * Events, and names the cause nearest to the root with the next step. `refused` is the newest call of the exposure that
 * was refused. Undefined when nothing is found. Bounded (see {@link gatherExposure}) and without effect, so it may be
 * asked as often as one likes. On abort: rejects with the signal's reason.
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
