import { controllerName, type Deployment, deploymentType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';

/** The controller's own Deployment, of whose pod template Jobs are made. @throws MAINTENANCE_DEPLOYMENT_MISSING, KUBE_… */
export async function controllerDeployment(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<Deployment> {
  try {
    return await kube.get(deploymentType, { namespace, name: controllerName }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError('MAINTENANCE_DEPLOYMENT_MISSING', `there is no Deployment ${namespace}/${controllerName}`, {
      retry: 'later',
      nextStep: 'Maintenance Jobs are made from its pod template: image, environment and service account.',
    });
  }
}
