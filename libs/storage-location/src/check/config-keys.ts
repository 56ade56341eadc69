import { locationInvalid } from './location-invalid.ts';

/** What every plugin of Velero is given beside its own: fields of the spec by these names, and restic's override. */
const common = ['bucket', 'prefix', 'caCert', 'credentialsFile', 'resticRepoPrefix'] as const;

/**
 * The keys of spec.config that a provider of Velero knows (the page backupstoragelocation of its plugins). Some have no effect
 * here; a location that names them still works.
 */
const keysOf: Readonly<Record<string, readonly string[]>> = {
  aws: [
    'region',
    's3Url',
    'publicUrl',
    's3ForcePathStyle',
    'insecureSkipTLSVerify',
    'profile',
    'enableSharedConfig',
    'serverSideEncryption',
    'kmsKeyId',
    'customerKeyEncryptionFile',
    'customerKeyEncryptionSecret',
    'checksumAlgorithm',
    'tagging',
    'signatureVersion',
  ],
  azure: [
    'storageAccount',
    'storageAccountURI',
    'storageAccountKeyEnvVar',
    'resourceGroup',
    'subscriptionId',
    'useAAD',
    'activeDirectoryAuthorityURI',
    'blockSizeInBytes',
    'apiVersion',
  ],
  gcp: ['kmsKeyName', 'serviceAccount'],
  fs: ['fspath'],
};

/** All of them, whatever the provider. */
export const knownConfigKeys: readonly string[] = [...Object.values(keysOf).flat(), ...common];

/** As many as a message names. */
const namedMax = 3;

/**
 * Refuses keys of spec.config that no version of the provider's plugin knows, as Velero does: one that is spelled
 * wrong would have no effect, and the location would be looked for somewhere else. Providers that are not part of
 * Velero may have keys of their own. @throws LOCATION_INVALID
 */
export function checkConfigKeys(provider: string, config: Readonly<Record<string, string>>): void {
  const known = keysOf[provider.replace(/^velero\.io\//, '')];
  if (known === undefined) return;
  const valid = [...known, ...common];
  const invalid = Object.keys(config)
    .filter((key) => !valid.includes(key))
    .sort();
  if (invalid.length === 0) return;
  const named = invalid.slice(0, namedMax).map((key) => key.slice(0, 80));
  const more = invalid.length > namedMax ? [...named, '...'] : named;
  throw locationInvalid(
    `config has invalid keys [${more.join(' ')}]; valid keys are [${known.join(' ')}]`,
    advice(named, known),
  );
}

function advice(invalid: readonly string[], known: readonly string[]): string {
  const meant = invalid.flatMap((key) => known.find((valid) => plain(valid) === plain(key)) ?? []);
  return meant.length === 0 ? 'Remove them from spec.config.' : `Write ${meant.join(', ')}.`;
}

const plain = (key: string): string => key.toLowerCase().replace(/[-_.]/g, '');
