import { isDataKey, isObjectName, repositoryCredentials } from '@lateen/api-types';
import { locationInvalid } from '../check/location-invalid.ts';
import { wrongPodPath } from '../check/pod-path.ts';
import { shown } from '../check/shown.ts';

/** What spec.config says about the objects themselves; names and meanings are Velero's (its AWS plugin). */
export interface S3Options {
  /** Scheme and host of signed URLs instead of s3Url's. */
  publicUrl?: string;
  /** "AES256" or "aws:kms". */
  serverSideEncryption?: string;
  /** Implies "aws:kms". */
  kmsKeyId?: string;
  /** SSE-C: the path of the key's file, in the pods. */
  customerKeyEncryptionFile?: string;
  /** "" switches checksums off; absent is CRC32. */
  checksumAlgorithm?: string;
  /** A query: `team=a&keep=yes`. */
  tagging?: string;
}

type Config = Readonly<Record<string, string>>;

const encryptions = ['AES256', 'aws:kms', 'aws:kms:dsse'];
const checksums = ['', 'CRC32', 'CRC32C', 'SHA1', 'SHA256'];
/** What is sent as a header: printable ASCII without spaces; the rest is written as %XX. */
const headerText = /^[\x21-\x7e]+$/;
/** Amazon S3 user guide, "Categorizing your storage using tags". */
const tagLimits = { tagsMax: 10, nameMax: 128, valueMax: 256 };

/** @throws LOCATION_INVALID */
export function s3Options(config: Config): S3Options {
  checkEncryption(config);
  const { checksumAlgorithm, tagging = '', publicUrl = '' } = config;
  if (checksumAlgorithm !== undefined && !checksums.includes(checksumAlgorithm)) {
    throw locationInvalid(
      `config.checksumAlgorithm "${checksumAlgorithm}" is not known`,
      `Use one of ${checksums.slice(1).join(', ')}, or "" for none.`,
    );
  }
  checkPublicUrl(publicUrl);
  checkTagging(tagging);
  checkCustomerKey(config);
  const { serverSideEncryption = '', kmsKeyId = '', customerKeyEncryptionFile = '' } = config;
  return {
    ...(publicUrl === '' ? {} : { publicUrl }),
    ...(serverSideEncryption === '' ? {} : { serverSideEncryption }),
    ...(kmsKeyId === '' ? {} : { kmsKeyId }),
    ...(customerKeyEncryptionFile === '' ? {} : { customerKeyEncryptionFile }),
    ...(checksumAlgorithm === undefined ? {} : { checksumAlgorithm }),
    ...(tagging === '' ? {} : { tagging }),
  };
}

/** `name/key`, a Secret of the server's namespace and a key in it, as Velero writes it; undefined for other texts. */
export function parseCustomerKeySecret(text: string): { name: string; key: string } | undefined {
  const [name = '', key = '', ...more] = text.split('/');
  return more.length === 0 && isObjectName(name) && isDataKey(key) ? { name, key } : undefined;
}

function checkEncryption(config: Config): void {
  const { serverSideEncryption = '', kmsKeyId, customerKeyEncryptionFile, customerKeyEncryptionSecret } = config;
  const keys = [kmsKeyId, customerKeyEncryptionFile, customerKeyEncryptionSecret].filter(Boolean);
  if (keys.length > 1) {
    throw locationInvalid(
      'you can only use one of: kmsKeyId, customerKeyEncryptionFile, or customerKeyEncryptionSecret',
      'Remove the others from spec.config.',
    );
  }
  if (customerKeyEncryptionSecret && parseCustomerKeySecret(customerKeyEncryptionSecret) === undefined) {
    throw locationInvalid(
      'config.customerKeyEncryptionSecret is not of the form name/key',
      'Name a Secret of this namespace and the key in it that holds the 32 bytes.',
    );
  }
  if (kmsKeyId && !headerText.test(kmsKeyId)) {
    throw locationInvalid(`config.kmsKeyId ${shown(kmsKeyId)} is not the name of a key`, 'Write its ID, ARN or alias.');
  }
  if (serverSideEncryption !== '' && (customerKeyEncryptionFile || customerKeyEncryptionSecret)) {
    throw locationInvalid(
      'a customer key cannot be combined with config.serverSideEncryption',
      'Remove one of them from spec.config.',
    );
  }
  if (serverSideEncryption !== '' && !encryptions.includes(serverSideEncryption)) {
    throw locationInvalid(
      `config.serverSideEncryption "${serverSideEncryption}" is not known`,
      `Use one of ${encryptions.join(', ')}.`,
    );
  }
  if (kmsKeyId && serverSideEncryption === 'AES256') {
    throw locationInvalid(
      'config.kmsKeyId cannot be combined with config.serverSideEncryption "AES256"',
      'Remove one of them.',
    );
  }
}

/** What is read in the pods, or out of a Secret, and sent to the address that the location names. @throws LOCATION_INVALID */
function checkCustomerKey({ customerKeyEncryptionFile: file, customerKeyEncryptionSecret: secret }: Config): void {
  const wrong = file ? wrongPodPath(file) : undefined;
  if (wrong !== undefined) throw locationInvalid(`config.customerKeyEncryptionFile ${wrong}`);
  if (parseCustomerKeySecret(secret ?? '')?.name === repositoryCredentials.name) {
    throw locationInvalid(
      'config.customerKeyEncryptionSecret names the Secret of the repository password, which is never sent anywhere',
      'Put the key into a Secret of its own.',
    );
  }
}

function checkPublicUrl(publicUrl: string): void {
  if (publicUrl === '') return;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  if (url === undefined || url.host === '' || !['http:', 'https:'].includes(url.protocol)) {
    throw locationInvalid(
      `config.publicUrl "${publicUrl}" is not an http or https address`,
      'Write it as https://host[:port].',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw locationInvalid('config.publicUrl holds credentials', 'Leave only scheme, host and port.');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw locationInvalid(`config.publicUrl "${publicUrl}" has a path`, 'Leave only scheme, host and port.');
  }
}

function checkTagging(tagging: string): void {
  if (tagging === '') return;
  const tags = [...new URLSearchParams(tagging)];
  const { tagsMax, nameMax, valueMax } = tagLimits;
  const isFine = tags.every(([name, value]) => name !== '' && name.length <= nameMax && value.length <= valueMax);
  const isOnce = new Set(tags.map(([name]) => name)).size === tags.length;
  if (!isFine || !isOnce || tags.length > tagsMax || !headerText.test(tagging)) {
    throw locationInvalid(
      'config.tagging is not a list of tags',
      `Write it as name=value&name=value, at most ${tagsMax}, each name once.`,
    );
  }
}
