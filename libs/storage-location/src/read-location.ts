import { type BackupStorageLocation, cloudCredentials } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { type ListAccountKey, withUsableCredentials } from './azure/azure-account-key.ts';
import { providerIfKnown, providerUnsupported } from './provider-of.ts';
import { readSecretKey, type SecretKey, secretKeyText } from './read-secret-key.ts';
import { checkLocation, pluginLocation, resolveLocation } from './resolve-location.ts';
import type { ResolvedLocation, StoreLocation } from './resolved-location.ts';
import { customerKeySecretOf, readCustomerKey } from './s3/customer-key.ts';
import { takesPodIdentity } from './s3/s3-location.ts';

/** The Secret that holds a location's keys: its own, or the installation's (api.md section 16). */
export function credentialSecretOf(location: BackupStorageLocation): SecretKey {
  const namespace = location.metadata.namespace ?? '';
  const { credential } = location.spec;
  if (credential?.name) return { namespace, name: credential.name, key: credential.key };
  return { namespace, ...cloudCredentials };
}

/** Every Secret a location depends on, so that a change of one can be noticed. */
export function secretsOf(location: BackupStorageLocation): SecretKey[] {
  const others = [caSecretOf(location), customerKeySecretOf(location)].filter((secret) => secret !== undefined);
  return [...(isDirectory(location) ? [] : [credentialSecretOf(location)]), ...others];
}

export interface ReadLocationOptions {
  signal: AbortSignal;
  /** Asked for the key of an Azure storage account where a principal is to get it from there. */
  listAccountKey: ListAccountKey;
  /**
   * True for the objects of backups, which a customer key (SSE-C) protects. Engines use none, so without this the key is
   * neither read nor part of the location: what an engine wrote could not be read with it.
   */
  customerKey?: boolean;
}

/**
 * A location as engines reach it: as {@link readStoreLocation}, but for those that only plugins know.
 * @throws what that throws; LOCATION_UNSUPPORTED
 */
export async function readLocation(
  kube: KubeApi,
  location: BackupStorageLocation,
  options: ReadLocationOptions,
): Promise<ResolvedLocation> {
  const read = await readStoreLocation(kube, location, options);
  if (read.provider !== 'plugin') return read;
  throw providerUnsupported(read.plugin, ' for the data of volumes');
}

/**
 * Reads the Secrets a location names and resolves it; asks Azure for an account's key where that is the way. Reads only;
 * safe to repeat.
 * @throws LOCATION_INVALID, CREDENTIALS_INVALID, SECRET_NOT_FOUND, SECRET_KEY_NOT_FOUND, KUBE_…, what `listAccountKey` throws
 */
export async function readStoreLocation(
  kube: KubeApi,
  location: BackupStorageLocation,
  options: ReadLocationOptions,
): Promise<StoreLocation> {
  checkLocation(location);
  const credentials = credentialSecretOf(location);
  const [credentialsText, caText, customerKey] = await Promise.all([
    isDirectory(location) ? undefined : readCredentials(kube, location, credentials, options),
    readReferredCa(kube, location, options),
    options.customerKey === true ? readCustomerKey(kube, location, options) : undefined,
  ]);
  const secrets = {
    credentials: credentialsText,
    credentialsFrom: secretKeyText(credentials),
    ...(caText === undefined ? {} : { caCertRef: caText }),
    ...(customerKey === undefined ? {} : { customerKey }),
  };
  const { provider, config = {} } = location.spec;
  if (providerIfKnown(provider, config) === undefined) return pluginLocation(location, secrets);
  const resolved = resolveLocation(location, secrets);
  if (resolved.provider === 'azure') {
    return await withUsableCredentials(resolved, options.listAccountKey, options);
  }
  return options.customerKey === true ? resolved : withoutCustomerKey(resolved);
}

function withoutCustomerKey(location: ResolvedLocation): ResolvedLocation {
  if (location.provider !== 's3') return location;
  const { customerKeyEncryptionFile: _, ...rest } = location;
  return rest;
}

/** A location at Google, AWS or of a plugin needs no Secret when the pod has an identity of its own; one that it names must be there. */
async function readCredentials(
  kube: KubeApi,
  location: BackupStorageLocation,
  where: SecretKey,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const { provider, config = {}, credential } = location.spec;
  const kind = providerIfKnown(provider, config);
  const ofPod = kind === undefined || kind === 'gcp' || (kind === 's3' && takesPodIdentity(config));
  const mayLack = !credential?.name && ofPod;
  const purpose = `the keys of BackupStorageLocation ${location.metadata.name}`;
  return await readSecretKey(kube, where, purpose, options).catch((error: unknown) => {
    if (mayLack && isAppError(error, 'SECRET_NOT_FOUND')) return undefined;
    throw error;
  });
}

/** A directory has no keys. */
const isDirectory = ({ spec }: BackupStorageLocation): boolean => ['fs', 'velero.io/fs'].includes(spec.provider);

/** The PEM text behind objectStorage.caCert or caCertRef, as it is; undefined when there is none. @throws SECRET_…, KUBE_… */
export async function readLocationCa(
  kube: KubeApi,
  location: BackupStorageLocation,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const { caCert } = location.spec.objectStorage;
  return caCert ? Buffer.from(caCert, 'base64').toString('utf8') : await readReferredCa(kube, location, options);
}

async function readReferredCa(
  kube: KubeApi,
  location: BackupStorageLocation,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const secret = caSecretOf(location);
  return secret === undefined ? undefined : await readSecretKey(kube, secret, 'the CA certificate', options);
}

function caSecretOf(location: BackupStorageLocation): SecretKey | undefined {
  const { caCertRef } = location.spec.objectStorage;
  if (!caCertRef?.name) return undefined;
  return { namespace: location.metadata.namespace ?? '', name: caCertRef.name, key: caCertRef.key };
}
