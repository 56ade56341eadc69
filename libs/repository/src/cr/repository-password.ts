import { repositoryCredentials } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { readSecretKey } from '@lateen/storage-location';

/**
 * The password of all repositories of an installation, without white space around it (data-movement.md section 9); with
 * `key`, another one in the same Secret.
 * @throws SECRET_NOT_FOUND, SECRET_KEY_NOT_FOUND, REPOSITORY_PASSWORD_EMPTY, REPOSITORY_PASSWORD_INVALID, KUBE_…
 */
export async function readRepositoryPassword(
  kube: KubeApi,
  namespace: string,
  { signal, key = repositoryCredentials.key }: { signal: AbortSignal; key?: string },
): Promise<string> {
  const where = { namespace, name: repositoryCredentials.name, key };
  const password = (await readSecretKey(kube, where, 'the repository password', { signal })).trim();
  if (password.includes('\0')) {
    // The password is passed as an environment variable, and the error for a variable with a zero byte would contain its value.
    throw new AppError(
      'REPOSITORY_PASSWORD_INVALID',
      `Secret ${namespace}/${where.name} key ${where.key} has a zero byte`,
      {
        retry: 'later',
        nextStep: 'Put the repository password there as text.',
      },
    );
  }
  if (password !== '') return password;
  throw new AppError('REPOSITORY_PASSWORD_EMPTY', `Secret ${namespace}/${where.name} key ${where.key} is empty`, {
    retry: 'later',
    nextStep: 'Put the repository password there.',
  });
}
