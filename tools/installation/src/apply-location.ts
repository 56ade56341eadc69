import {
  type BackupStorageLocation,
  backupStorageLocationType,
  repositoryCredentials,
  type Secret,
  secretType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import { isAlreadyExists, type KubeApi, waitForObject } from '@lateen/kube';

export interface S3LocationOptions {
  namespace: string;
  name: string;
  bucket: string;
  region: string;
  /** As pods reach it: `http://10.0.0.1:7070`. */
  url: string;
  accessKey: string;
  secretKey: string;
}

const credentialName = 'lateen-dev-s3';
const fieldManager = 'lateen-installation';
/** Validation is event driven and takes well under a second; a minute covers a controller that is just starting. */
const availableMsMax = 60_000;

/** Makes a location the default one, with its credential, and waits until the controller has found it Available. */
export async function applyLocation(
  kube: KubeApi,
  options: S3LocationOptions,
  { clock, random, signal }: { clock: Clock; random: Random; signal: AbortSignal },
): Promise<BackupStorageLocation> {
  await ensureRepositoryPassword(kube, options.namespace, random, signal);
  const secret = secretFor(options);
  await kube.patch(
    secretType,
    { namespace: options.namespace, name: credentialName },
    { type: 'apply', body: secret, force: true },
    { fieldManager, signal },
  );
  await kube.patch(
    backupStorageLocationType,
    { namespace: options.namespace, name: options.name },
    { type: 'apply', body: locationFor(options), force: true },
    { fieldManager, signal },
  );
  return await waitUntilAvailable(kube, options, clock, signal);
}

/** Only when there is none: an existing password opens existing repositories. */
async function ensureRepositoryPassword(
  kube: KubeApi,
  namespace: string,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const password = `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
  try {
    await kube.create(
      secretType,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name: repositoryCredentials.name },
        type: 'Opaque',
        data: { [repositoryCredentials.key]: base64(password) },
      },
      { signal },
    );
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function secretFor(options: S3LocationOptions): Secret {
  const file = `[default]\naws_access_key_id=${options.accessKey}\naws_secret_access_key=${options.secretKey}\n`;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: options.namespace, name: credentialName },
    type: 'Opaque',
    data: { cloud: base64(file) },
  };
}

function locationFor(options: S3LocationOptions): BackupStorageLocation {
  return {
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: { namespace: options.namespace, name: options.name },
    spec: {
      provider: 'aws',
      default: true,
      objectStorage: { bucket: options.bucket },
      credential: { name: credentialName, key: 'cloud' },
      config: { region: options.region, s3Url: options.url, s3ForcePathStyle: 'true' },
    },
  };
}

async function waitUntilAvailable(
  kube: KubeApi,
  { namespace, name }: S3LocationOptions,
  clock: Clock,
  signal: AbortSignal,
): Promise<BackupStorageLocation> {
  const deadline = clock.deadline(availableMsMax);
  let last: BackupStorageLocation | undefined;
  try {
    return await waitForObject<BackupStorageLocation, BackupStorageLocation>({
      api: kube,
      type: backupStorageLocationType,
      key: { namespace, name },
      clock,
      signal: AbortSignal.any([signal, deadline]),
      until: (seen) => {
        last = seen;
        return seen?.status?.phase === 'Available' ? seen : undefined;
      },
    });
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new AppError(
      'LOCATION_NOT_AVAILABLE',
      `BackupStorageLocation ${namespace}/${name} is ${last?.status?.phase ?? 'not validated'} after ${availableMsMax / 1000} s: ${last?.status?.message ?? 'the controller has said nothing'}`,
      { cause: error, nextStep: `Look at the controller: kubectl logs -n ${namespace} deployment/lateen-controller` },
    );
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
