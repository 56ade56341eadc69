import { hkdfSync } from 'node:crypto';
import { isEncryptionKnown } from './content-cipher.ts';
import { isHashKnown } from './content-hash.ts';
import type { ContentKeys } from './content-keys.ts';
import { isObject } from './json-value.ts';
import { unsupported } from './unsupported.ts';

export interface RepositoryFormat {
  keys: ContentKeys;
  /** Whether index blobs are grouped by epochs; otherwise they are as in format version 1. */
  hasEpochs: boolean;
}

const versionsKnown: readonly unknown[] = [1, 2, 3];
const featuresKnown: readonly unknown[] = ['index-v1', 'index-v2'];

/** @throws AppError REPOSITORY_FORMAT_UNSUPPORTED, which names what is not known */
export function repositoryFormat(format: Readonly<Record<string, unknown>>): RepositoryFormat {
  const { hash, encryption, ecc, eccOverheadPercent, secret, masterKey, version, epochParameters } = format;
  if (!versionsKnown.includes(version)) throw unsupported(`format version ${String(version)}`);
  checkFeatures(format.requiredFeatures);
  if (format.upgradeLock !== undefined && format.upgradeLock !== null)
    throw unsupported('an upgrade that is under way');
  if (typeof ecc === 'string' && ecc !== '' && eccOverheadPercent !== 0 && eccOverheadPercent !== undefined)
    throw unsupported(`the error correction ${ecc}`);
  if (typeof hash !== 'string' || !isHashKnown(hash)) throw unsupported(`the hash ${String(hash)}`);
  if (typeof encryption !== 'string' || !isEncryptionKnown(encryption))
    throw unsupported(`the encryption ${String(encryption)}`);
  return {
    keys: {
      hash,
      hashSecret: bytesOf(secret),
      encryption,
      encryptionSecret: new Uint8Array(hkdfSync('sha256', bytesOf(masterKey), 'encryption', '', 32)),
    },
    hasEpochs: isObject(epochParameters) && epochParameters.Enabled === true,
  };
}

function checkFeatures(required: unknown): void {
  if (!Array.isArray(required)) return;
  for (const entry of required) {
    const feature: unknown = isObject(entry) ? entry.feature : entry;
    if (!featuresKnown.includes(feature)) throw unsupported(`the feature ${String(feature)}`);
  }
}

const bytesOf = (base64: unknown) => new Uint8Array(Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64'));
