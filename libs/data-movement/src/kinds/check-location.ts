import { backupStorageLocationType, secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';

/**
 * The storage location and the Secret it names exist. Looked at before anything is made, so that a spelling mistake
 * does not cost a volume and a pod. Whether the bucket can be reached is the repository's to say.
 * @throws NO_LOCATION, NO_LOCATION_SECRET
 */
export async function checkLocation(kube: KubeApi, namespace: string, name: string, signal: AbortSignal): Promise<void> {
  const location = await orMissing(kube.get(backupStorageLocationType, { namespace, name }, { signal }), () =>
    new AppError('NO_LOCATION', `BackupStorageLocation ${namespace}/${name} does not exist`, {
      nextStep: 'Create it, or correct spec.backupStorageLocation.',
    }),
  );
  const secret = location.spec.credential?.name;
  if (secret === undefined || secret === '') return;
  await orMissing(kube.get(secretType, { namespace, name: secret }, { signal }), () =>
    new AppError('NO_LOCATION_SECRET', `Secret ${namespace}/${secret} of BackupStorageLocation ${name} does not exist`, {
      nextStep: 'Create it with the credentials of the bucket, or correct spec.credential of the location.',
    }),
  );
}

async function orMissing<T>(reading: Promise<T>, missing: () => AppError): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) throw missing();
    throw error;
  }
}
