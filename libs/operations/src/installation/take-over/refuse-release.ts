import { type KubeObject, secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll } from '@lateen/kube';
import { releaseOf } from '../install/existing-installation.ts';

/**
 * Refuses a namespace with a Helm release: Helm keeps its manifests in Secrets and would restore the removed objects, or delete the locations.
 * @throws AppError HELM_RELEASE when there is such a release
 */
export async function refuseRelease(
  kube: KubeApi,
  objects: readonly (KubeObject | undefined)[],
  signal: AbortSignal,
): Promise<void> {
  const release = objects.map(releaseOf).find((it) => it !== undefined);
  if (release === undefined) return;
  const { name, namespace } = release;
  const labelSelector = `owner=helm,name=${name}`;
  const { items } = await listAll(kube, secretType, { namespace, labelSelector, signal, metadataOnly: true });
  if (items.length === 0) return;
  throw new AppError('HELM_RELEASE', `this installation is Helm's release ${name} in namespace ${namespace}`, {
    nextStep: `Remove the release from Helm, which keeps every object: kubectl delete secret -n ${namespace} -l ${labelSelector}. Then run this command again.`,
  });
}
