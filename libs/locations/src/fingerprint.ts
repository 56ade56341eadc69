import { createHash } from 'node:crypto';
import type { BackupStorageLocation } from '@lateen/api-types';
import { type SecretKey, secretsOf } from '@lateen/repository';

/** The version of a Secret as the cache knows it; undefined when there is none. */
export type SecretVersion = (secret: SecretKey) => string | undefined;

/**
 * Changes when a location's spec or one of the Secrets it names changes; kept in memory only, so the first look after a
 * start finds everything changed, which is what it should.
 */
export function locationFingerprint(location: BackupStorageLocation, versionOf: SecretVersion): string {
  const { bucket, prefix, caCert, caCertRef } = location.spec.objectStorage;
  const { provider, config, credential, accessMode } = location.spec;
  const versions = secretsOf(location).map((secret) => versionOf(secret) ?? 'none');
  const facts = [provider, bucket, prefix, caCert, caCertRef, sorted(config), credential, accessMode, versions];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

const sorted = (config: Readonly<Record<string, string>> | undefined): [string, string][] =>
  Object.entries(config ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
