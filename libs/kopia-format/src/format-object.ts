import { createDecipheriv, hkdfSync, pbkdf2, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { repositoryPasswordWrong } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isObject } from './json-value.ts';
import { unsupported } from './unsupported.ts';

/** The object that opens a repository. Its inner part is encrypted by a key that comes from the password. */
export const formatBlobId = 'kopia.repository';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** scrypt takes 128 * N * r bytes, and a little more. */
const scryptOptions: ScryptOptions = { N: 65_536, r: 8, p: 1, maxmem: 160 * 8 * 65_536 };
const scryptKey = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);
const pbkdf2Key = promisify(pbkdf2);

const deriveKey: Readonly<Record<string, (password: string, salt: Uint8Array) => Promise<Buffer>>> = {
  'scrypt-65536-8-1': (password, salt) => scryptKey(password, salt, keyBytes, scryptOptions),
  'pbkdf2-sha256-600000': (password, salt) => pbkdf2Key(password, salt, 600_000, keyBytes, 'sha256'),
};

/**
 * The repository's own description of its format, opened with its password.
 * @param name of the repository, for messages
 * @throws AppError REPOSITORY_CORRUPTED, REPOSITORY_PASSWORD_WRONG (also for an inner part that was changed: it cannot be
 * told apart), REPOSITORY_FORMAT_UNSUPPORTED
 */
export async function openFormatObject(
  bytes: Uint8Array,
  password: string,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { uniqueID, keyAlgo, encryption, encryptedBlockFormat } = outerPart(bytes, name);
  if (encryption !== 'AES256_GCM') throw unsupported(`the encryption ${encryption} for ${formatBlobId}`);
  const derive = deriveKey[keyAlgo];
  if (derive === undefined) throw unsupported(`the key derivation ${keyAlgo}`);
  const key = await derive(password, uniqueID);
  const inner = decrypted(encryptedBlockFormat, key, uniqueID);
  if (inner === undefined) throw passwordWrong(name);
  const { format } = parsed(inner, name);
  if (!isObject(format)) throw corrupted(name);
  return format;
}

function outerPart(bytes: Uint8Array, name: string) {
  const { uniqueID, keyAlgo, encryption, encryptedBlockFormat } = parsed(bytes, name);
  if (typeof uniqueID !== 'string' || typeof encryptedBlockFormat !== 'string') throw corrupted(name);
  if (typeof keyAlgo !== 'string' || typeof encryption !== 'string') throw corrupted(name);
  return {
    uniqueID: Buffer.from(uniqueID, 'base64'),
    keyAlgo,
    encryption,
    encryptedBlockFormat: Buffer.from(encryptedBlockFormat, 'base64'),
  };
}

/** Undefined when its tag does not fit: a wrong key, or other bytes. */
function decrypted(sealed: Uint8Array, master: Uint8Array, salt: Uint8Array): Uint8Array | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const derived = (purpose: string) => new Uint8Array(hkdfSync('sha256', master, salt, purpose, keyBytes));
  const decipher = createDecipheriv('aes-256-gcm', derived('AES'), sealed.subarray(0, nonceBytes));
  decipher.setAAD(derived('CHECKSUM'));
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const plain = decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

function parsed(bytes: Uint8Array, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
    if (isObject(value)) return value;
  } catch {
    // Told below: what JSON.parse says quotes the bytes.
  }
  throw corrupted(name);
}

function passwordWrong(name: string): AppError {
  const { code, message, nextStep, retry } = repositoryPasswordWrong;
  return new AppError(code, message(name), { retry, nextStep });
}

const corrupted = (name: string) =>
  new AppError(
    'REPOSITORY_CORRUPTED',
    `the repository at ${name} is damaged: its object ${formatBlobId} cannot be read`,
    {
      retry: 'later',
    },
  );
