import { AppError, isAppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { volumeType } from '@lateen/storage-types';

/**
 * Checks that the cluster serves replicated volumes; without the CRDs every object would only be "not found".
 * @throws AppError STORAGE_NOT_INSTALLED. A user without the right to list volumes passes: the command itself reports the missing right.
 */
export async function requireStorage(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<void> {
  try {
    await kube.list(volumeType, { namespace, limit: 1, signal });
  } catch (error) {
    if (isAppError(error, 'KUBE_FORBIDDEN')) return;
    if (!isNotFound(error)) throw error;
    throw new AppError('STORAGE_NOT_INSTALLED', 'the cluster has no replicated volumes: it does not know longhorn.io', {
      cause: error,
      nextStep: 'Install the volume manager with: lateen install --volume-manager replicated',
    });
  }
}
