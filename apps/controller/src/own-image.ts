import { controllerName, deploymentType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';

/** The image that this installation runs: of the controller's own Deployment, so that whoever changes it there has changed it everywhere. */
export async function ownImage(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<string> {
  const deployment = await readObject(kube, deploymentType, { namespace, name: controllerName }, signal);
  const containers = deployment?.spec.template.spec.containers ?? [];
  const { image = '' } = containers.find(({ name }) => name === controllerName) ?? containers[0] ?? {};
  if (image !== '') return image;
  throw new AppError('OWN_IMAGE_UNKNOWN', `Deployment ${namespace}/${controllerName} names no image`, {
    nextStep: 'Name one in the ConfigMap of velero.io/pod-volume-restore, key image.',
  });
}
