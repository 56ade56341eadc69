import { secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';

export interface SecretKey {
  namespace: string;
  name: string;
  key: string;
}

export const secretKeyText = (where: SecretKey): string => `Secret ${where.namespace}/${where.name} key ${where.key}`;

/** {@link readSecretBytes} as text. */
export async function readSecretKey(
  kube: KubeApi,
  where: SecretKey,
  purpose: string,
  options: { signal: AbortSignal },
): Promise<string> {
  return (await readSecretBytes(kube, where, purpose, options)).toString('utf8');
}

/**
 * The decoded value of one key of a Secret. `purpose` ("the repository password") goes into messages, the value never.
 * @throws SECRET_NOT_FOUND, SECRET_KEY_NOT_FOUND (fate `later`), and what the API throws
 */
export async function readSecretBytes(
  kube: KubeApi,
  where: SecretKey,
  purpose: string,
  options: { signal: AbortSignal },
): Promise<Buffer> {
  const { namespace, name, key } = where;
  const secret = await kube.get(secretType, { namespace, name }, options).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new AppError('SECRET_NOT_FOUND', `Secret ${namespace}/${name} with ${purpose} does not exist`, {
      retry: 'later',
      nextStep: `Create it with key ${key}.`,
    });
  });
  const data = secret.data !== undefined && Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (data === undefined) {
    throw new AppError('SECRET_KEY_NOT_FOUND', `Secret ${namespace}/${name} with ${purpose} has no key ${key}`, {
      retry: 'later',
      nextStep: `Add the key ${key} to it.`,
    });
  }
  return Buffer.from(data, 'base64');
}
