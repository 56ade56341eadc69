import {
  type BackupStorageLocation,
  type BackupStorageLocationSpec,
  isDataKey,
  isObjectName,
  type SecretKeySelector,
} from '@lateen/api-types';
import type { AppError } from '@lateen/errors';
import { locationInvalid } from './location-invalid.ts';
import { shown } from './shown.ts';

/** Longer than any real one. An object key has 1024 bytes, of which the longest that is written below needs half. */
export const locationSpecLimits = { bucketCharsMax: 1_024, prefixBytesMax: 512, configCharsMax: 4_096 } as const;

type Check = (spec: BackupStorageLocationSpec) => AppError | undefined;

/**
 * Refuses what the custom resource definition lets through and no provider could use, before anything is read that it
 * names; `resolveLocation` refuses more, with the Secrets and the provider known. @throws LOCATION_INVALID
 */
export function checkLocationSpec({ spec }: BackupStorageLocation): void {
  for (const check of checks) {
    const finding = check(spec);
    if (finding !== undefined) throw finding;
  }
}

const hasProvider: Check = ({ provider }) =>
  provider === ''
    ? locationInvalid('spec.provider is empty', 'Write "aws", "azure", "gcp" or "velero.io/fs".')
    : undefined;

const noControlCharacters: Check = ({ provider, objectStorage: { bucket }, config }) => {
  const texts: [string, string][] = [
    ['spec.provider', provider],
    ['spec.objectStorage.bucket', bucket],
    ...Object.entries(config ?? {}).flatMap(([key, value]): [string, string][] => [
      [`the name of a spec.config entry, ${shown(key)}`, key],
      [`spec.config.${key}`, value],
    ]),
  ];
  for (const [field, text] of texts) {
    const at = text.search(/\p{Cc}/u);
    if (at < 0) continue;
    const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
    return locationInvalid(
      `${field} holds the control character U+${code} at position ${at + 1}`,
      'Remove it: it may be a line break at the end of a text.',
    );
  }
  return undefined;
};

const noHugeValues: Check = ({ objectStorage: { bucket, prefix = '' }, config }) => {
  const { bucketCharsMax, prefixBytesMax, configCharsMax } = locationSpecLimits;
  if (bucket.length > bucketCharsMax) {
    return locationInvalid(
      `spec.objectStorage.bucket has ${bucket.length} characters; at most ${bucketCharsMax} are possible`,
    );
  }
  const prefixBytes = Buffer.byteLength(prefix);
  if (prefixBytes > prefixBytesMax) {
    return locationInvalid(
      `spec.objectStorage.prefix has ${prefixBytes} bytes; at most ${prefixBytesMax} are possible`,
      'The keys of backups have to fit in behind it.',
    );
  }
  const huge = Object.entries(config ?? {}).find(([key, value]) => key.length + value.length > configCharsMax);
  if (huge === undefined) return undefined;
  const [key, value] = huge;
  const chars = key.length + value.length;
  return locationInvalid(
    `spec.config entry ${shown(key)} has ${chars} characters; at most ${configCharsMax} are possible`,
  );
};

/** Without a name the installation's own Secret is meant; a CA has no such one. */
const wholeReferences: Check = ({ credential, objectStorage: { caCert, caCertRef } }) => {
  if (caCert && caCertRef) return locationInvalid('cannot specify both caCert and caCertRef in objectStorage');
  if (credential?.name && credential.key === '')
    return locationInvalid('spec.credential.key is empty', 'Name the key.');
  if (caCertRef !== undefined && !(caCertRef.name && caCertRef.key)) {
    const missing = caCertRef.name ? 'key' : 'name';
    return locationInvalid(`spec.objectStorage.caCertRef.${missing} is empty`, 'Name the Secret and its key.');
  }
  return (
    (credential?.name ? wrongReference('spec.credential', credential) : undefined) ??
    (caCertRef === undefined ? undefined : wrongReference('spec.objectStorage.caCertRef', caCertRef))
  );
};

/** A name becomes a part of a path of the API server. */
function wrongReference(field: string, { name = '', key }: SecretKeySelector): AppError | undefined {
  if (!isObjectName(name)) return locationInvalid(`${field}.name ${shown(name)} is not the name of a Secret`);
  return isDataKey(key) ? undefined : locationInvalid(`${field}.key ${shown(key)} is not a key of a Secret`);
}

const noTwinsInConfig: Check = ({ config }) => {
  const seen = new Map<string, string>();
  for (const key of Object.keys(config ?? {}).sort()) {
    const twin = seen.get(key.toLowerCase());
    if (twin !== undefined) {
      return locationInvalid(
        `spec.config has both ${shown(twin)} and ${shown(key)}`,
        'Keep the one that is spelled as in the documentation.',
      );
    }
    seen.set(key.toLowerCase(), key);
  }
  return undefined;
};

/** The first finding counts. Sizes come early, so that nothing huge gets into a message. */
const checks: readonly Check[] = [hasProvider, noHugeValues, noControlCharacters, wholeReferences, noTwinsInConfig];
