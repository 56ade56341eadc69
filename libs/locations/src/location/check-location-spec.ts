import type { BackupStorageLocation, BackupStorageLocationSpec } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** Longer than any real one. An object key has 1024 bytes, of which the longest that is written below needs half. */
export const locationSpecLimits = { bucketCharsMax: 1_024, prefixBytesMax: 512, configCharsMax: 4_096 } as const;

type Check = (spec: BackupStorageLocationSpec) => AppError | undefined;

/**
 * Refuses what the custom resource definition lets through and no provider could use; `readLocation` refuses more, with
 * the Secrets and the provider known. @throws LOCATION_INVALID
 */
export function checkLocationSpec({ spec }: BackupStorageLocation): void {
  for (const check of checks) {
    const finding = check(spec);
    if (finding !== undefined) throw finding;
  }
}

const hasProvider: Check = ({ provider }) =>
  provider === '' ? invalid('spec.provider is empty', 'Write "aws", "azure", "gcp" or "velero.io/fs".') : undefined;

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
    return invalid(
      `${field} holds the control character U+${code} at position ${at + 1}`,
      'Remove it: it may be a line break at the end of a text.',
    );
  }
  return undefined;
};

const noHugeValues: Check = ({ objectStorage: { bucket, prefix = '' }, config }) => {
  const { bucketCharsMax, prefixBytesMax, configCharsMax } = locationSpecLimits;
  if (bucket.length > bucketCharsMax) {
    return invalid(`spec.objectStorage.bucket has ${bucket.length} characters; at most ${bucketCharsMax} are possible`);
  }
  const prefixBytes = Buffer.byteLength(prefix);
  if (prefixBytes > prefixBytesMax) {
    return invalid(
      `spec.objectStorage.prefix has ${prefixBytes} bytes; at most ${prefixBytesMax} are possible`,
      'The keys of backups have to fit in behind it.',
    );
  }
  const huge = Object.entries(config ?? {}).find(([key, value]) => key.length + value.length > configCharsMax);
  if (huge === undefined) return undefined;
  const [key, value] = huge;
  const chars = key.length + value.length;
  return invalid(`spec.config entry ${shown(key)} has ${chars} characters; at most ${configCharsMax} are possible`);
};

/** Without a name the installation's own Secret is meant; a CA has no such one. */
const wholeReferences: Check = ({ credential, objectStorage: { caCertRef } }) => {
  if (credential?.name && credential.key === '') return invalid('spec.credential.key is empty', 'Name the key.');
  if (caCertRef === undefined || (caCertRef.name && caCertRef.key)) return undefined;
  const missing = caCertRef.name ? 'key' : 'name';
  return invalid(`spec.objectStorage.caCertRef.${missing} is empty`, 'Name the Secret and its key.');
};

const noTwinsInConfig: Check = ({ config }) => {
  const seen = new Map<string, string>();
  for (const key of Object.keys(config ?? {}).sort()) {
    const twin = seen.get(key.toLowerCase());
    if (twin !== undefined) {
      return invalid(
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

/** Quoted, with control characters escaped, and cut. */
const shown = (text: string): string => JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 80)}…`);

function invalid(message: string, nextStep?: string): AppError {
  return new AppError('LOCATION_INVALID', message, nextStep === undefined ? {} : { nextStep });
}
