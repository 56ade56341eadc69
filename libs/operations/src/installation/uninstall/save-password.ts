import { open } from 'node:fs/promises';
import { repositoryCredentials, secretType } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { dump } from 'js-yaml';

/**
 * Writes Secret velero-repo-credentials to a new file that only its owner can read, in the form for `kubectl apply -f`.
 * @throws AppError PASSWORD_NOT_SAVED, also when the file exists already
 */
export async function saveRepositoryPassword(
  kube: KubeApi,
  namespace: string,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { name } = repositoryCredentials;
    const { data, type } = await kube.get(secretType, { namespace, name }, { signal });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type: type ?? 'Opaque', data };
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(dump(secret));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError(
      'PASSWORD_NOT_SAVED',
      `the repository password could not be saved in ${path}: ${describeError(error)}`,
      {
        cause: error,
        nextStep: 'Nothing was removed.',
      },
    );
  }
}
