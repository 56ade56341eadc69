import {
  type BackupStorageLocation,
  type BackupStorageLocationAccessMode,
  type SecretKeySelector,
  secretType,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { parseCustomerKeySecret } from '@lateen/storage-location';
import { plainLine } from '../output/plain-line.ts';
import { quoted } from '../output/quoted.ts';

const knownProviders: ReadonlySet<string> = new Set(['aws', 'azure', 'gcp', 'fs'].map((name) => `velero.io/${name}`));

/** What may be meant so, but most likely is not; pure. */
export function specWarnings({ metadata, spec }: Pick<BackupStorageLocation, 'metadata' | 'spec'>): string[] {
  const provider = spec.provider.includes('/') ? spec.provider : `velero.io/${spec.provider}`;
  const isKnown = knownProviders.has(provider) || spec.config?.s3Url !== undefined;
  return [
    ...(isKnown
      ? []
      : [
          `provider ${quoted(spec.provider)} is not known; known are aws, azure, gcp and velero.io/fs, and any other that is given config s3Url`,
        ]),
    ...(spec.default === true ? defaultWarnings({ name: metadata.name, ...spec }) : []),
  ];
}

/** What speaks against a location as the default; pure. */
export function defaultWarnings(location: {
  name: string | undefined;
  accessMode?: BackupStorageLocationAccessMode | undefined;
  status?: BackupStorageLocation['status'];
}): string[] {
  const { name, accessMode, status } = location;
  return [
    ...(accessMode === 'ReadOnly'
      ? [`"${name}" is to be the default and is ReadOnly: backups that name no location will fail`]
      : []),
    ...(status?.phase === 'Unavailable'
      ? [`"${name}" is to be the default and is unavailable: ${plainLine(status.message || 'no reason is given')}`]
      : []),
  ];
}

/** The Secret of config.customerKeyEncryptionSecret, which has the form of one by then. */
export function customerKeySelector(config: Readonly<Record<string, unknown>> = {}): SecretKeySelector | undefined {
  const { customerKeyEncryptionSecret: named } = config;
  return typeof named === 'string' ? parseCustomerKeySecret(named) : undefined;
}

/**
 * Warnings about the Secrets that a location names: missing ones, and ones without the key. Secrets may come later, and a
 * person may be forbidden to read them, so nothing here is an error. Values are not looked at.
 */
export async function secretWarnings(
  kube: KubeApi,
  namespace: string,
  selectors: readonly (SecretKeySelector | undefined)[],
  signal: AbortSignal,
): Promise<string[]> {
  const named = selectors.filter((each) => each !== undefined);
  const all = await Promise.all(named.map((each) => secretWarning(kube, namespace, each, signal)));
  return all.filter((warning) => warning !== undefined);
}

async function secretWarning(
  kube: KubeApi,
  namespace: string,
  { name = '', key }: SecretKeySelector,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const secret = await readObject(kube, secretType, { namespace, name }, signal);
    if (secret === undefined)
      return `Secret ${namespace}/${name} does not exist; the location is unavailable until it does`;
    return secret.data?.[key] === undefined
      ? `Secret ${namespace}/${name} has no key ${key}; the location is unavailable until it has`
      : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return `Secret ${namespace}/${name} could not be looked at: ${describeError(error)}`;
  }
}
