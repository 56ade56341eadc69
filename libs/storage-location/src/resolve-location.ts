import type { BackupStorageLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { wrongInKey } from '@lateen/object-store';
import { azureLocation, azureSettings } from './azure/azure-location.ts';
import { checkBucketName } from './check/bucket-name.ts';
import { wrongInCaBundle } from './check/ca-bundle.ts';
import { checkLocationSpec } from './check/check-location-spec.ts';
import { checkConfigKeys } from './check/config-keys.ts';
import { locationInvalid } from './check/location-invalid.ts';
import { shown } from './check/shown.ts';
import { fsSettings } from './fs-location.ts';
import { gcpLocation, gcpSettings } from './gcp/gcp-location.ts';
import { providerIfKnown, providerOf } from './provider-of.ts';
import type { CommonLocation, PluginLocation, ResolvedLocation, StoreLocation } from './resolved-location.ts';
import { s3Location, s3Settings, takesPodIdentity } from './s3/s3-location.ts';
import { annotatedRates } from './transfer-rate.ts';

/** What {@link resolveLocation} needs from Secrets. */
export interface LocationSecrets {
  /** Content of the credentials file; undefined when there is no such Secret and the provider may do without. */
  credentials: string | undefined;
  /** Which Secret that was, for messages. */
  credentialsFrom: string;
  /** PEM behind objectStorage.caCertRef. */
  caCertRef?: string;
  /** The value behind config.customerKeyEncryptionSecret, if it is to be used. */
  customerKey?: Uint8Array;
}

/**
 * Everything that can be said of a location without its Secrets. What a provider's config means that only a plugin knows is for the
 * plugin to say. Pure. @throws LOCATION_INVALID
 */
export function checkLocation(location: BackupStorageLocation): void {
  checkLocationSpec(location);
  const { provider: name, config = {} } = location.spec;
  const provider = providerIfKnown(name, config);
  commonOf(location, provider ?? 'plugin', undefined);
  if (provider !== undefined) settingsOf[provider](config);
}

const settingsOf: Readonly<
  Record<ResolvedLocation['provider'], (config: Readonly<Record<string, string>>) => unknown>
> = { s3: s3Settings, azure: azureSettings, gcp: gcpSettings, fs: fsSettings };

/**
 * Everything that is needed to reach a location, from its spec, its Secrets and, for rates, its annotations; pure.
 * Rules: data-movement.md section 9 (backend choice, S3 endpoint), object-store-layout.md section 1 (bucket, prefix).
 * @throws LOCATION_INVALID, LOCATION_UNSUPPORTED, CREDENTIALS_INVALID
 */
export function resolveLocation(location: BackupStorageLocation, secrets: LocationSecrets): ResolvedLocation {
  const config = location.spec.config ?? {};
  const provider = providerOf(location.spec.provider, config);
  const common = commonOf(location, provider, secrets.caCertRef);
  switch (provider) {
    case 's3':
      return {
        ...s3Location(common, config, takesPodIdentity(config) ? secretIfAny(secrets) : secretOf(secrets)),
        ...(secrets.customerKey === undefined ? {} : { customerKey: secrets.customerKey }),
      };
    case 'azure':
      return azureLocation(common, config, secretOf(secrets));
    case 'gcp':
      return gcpLocation(common, config, { text: secrets.credentials, where: secrets.credentialsFrom });
    case 'fs':
      return { ...common, ...fsSettings(config), provider };
  }
}

/** The same of a location whose provider only a plugin knows. Pure. @throws LOCATION_INVALID */
export function pluginLocation(location: BackupStorageLocation, secrets: LocationSecrets): PluginLocation {
  // Otherwise anyone who may write locations could use other files of the pod (docs/adr/0021).
  const { credentialsFile: _, ...config } = location.spec.config ?? {};
  const { credentials } = secrets;
  return {
    ...commonOf(location, 'plugin', secrets.caCertRef),
    provider: 'plugin',
    plugin: location.spec.provider,
    config,
    ...(credentials === undefined ? {} : { credentials }),
  };
}

/** What every provider has. @throws LOCATION_INVALID */
function commonOf(
  { metadata, spec }: BackupStorageLocation,
  provider: StoreLocation['provider'],
  caCertRef: string | undefined,
): CommonLocation {
  const { config = {}, objectStorage } = spec;
  checkConfigKeys(spec.provider, config);
  const caPem = caOf(objectStorage.caCert, caCertRef);
  return {
    name: metadata.name ?? '',
    ...placeOf(objectStorage, provider),
    readOnly: spec.accessMode === 'ReadOnly',
    ...(caPem === undefined ? {} : { caPem }),
    ...(config.resticRepoPrefix ? { resticRepoPrefix: config.resticRepoPrefix } : {}),
    ...annotatedRates(metadata.annotations),
  };
}

const secretIfAny = ({ credentials: text, credentialsFrom: where }: LocationSecrets) => ({ text, where });

function secretOf({ credentials, credentialsFrom }: LocationSecrets): { text: string; where: string } {
  if (credentials !== undefined) return { text: credentials, where: credentialsFrom };
  throw new AppError('CREDENTIALS_INVALID', `${credentialsFrom} does not exist`, {
    retry: 'later',
    nextStep: 'Create it with the keys of the location.',
  });
}

function placeOf(
  storage: { bucket: string; prefix?: string },
  provider: StoreLocation['provider'],
): { bucket: string; prefix: string } {
  const bucket = trimSlashes(storage.bucket);
  checkBucketName(bucket, provider);
  return { bucket, prefix: prefixOf(storage.prefix ?? '') };
}

/** Several slashes are one, as Velero joins paths. Every key begins with it, so it is held to the rules of keys. */
function prefixOf(text: string): string {
  const prefix = trimSlashes(text).replace(/\/+/g, '/');
  const wrong = prefix === '' ? undefined : wrongInKey(prefix);
  if (wrong === undefined) return prefix;
  throw locationInvalid(`spec.objectStorage.prefix ${shown(prefix)} cannot be used: ${wrong}`, 'Leave that out.');
}

function caOf(caCert: string | undefined, caCertRef: string | undefined): string | undefined {
  const pem = caCert ? Buffer.from(caCert, 'base64').toString('utf8') : caCertRef;
  const wrong = pem === undefined ? undefined : wrongInCaBundle(pem);
  if (wrong === undefined) return pem;
  throw locationInvalid(
    `the CA certificate of objectStorage cannot be used: ${wrong}`,
    'Give one or more whole PEM certificates.',
  );
}

const trimSlashes = (text: string): string => text.replace(/^\/+|\/+$/g, '');
