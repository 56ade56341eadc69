import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { S3StoreConfig } from './s3-config.ts';

type Headers = Readonly<Record<string, string>>;

/** How objects are encrypted at rest (Amazon S3 API reference: PutObject, GetObject). */
export interface Encryption {
  /** Of a request that makes an object, or begins to. */
  ofNew(): Promise<Headers>;
  /** Of a request about the bytes of an object: parts, GET, HEAD. */
  ofBytes(): Promise<Headers>;
  /** True when an object cannot be read without sending a key. */
  needsKey: boolean;
}

const keyBytes = 32;
const customerPrefix = 'x-amz-server-side-encryption-customer';

/** @throws LOCATION_INVALID */
export function encryptionOf(config: S3StoreConfig): Encryption {
  const { customerKeyEncryptionFile: keyFile = '', customerKey, kmsKeyId = '' } = config;
  const algorithm = config.serverSideEncryption || (kmsKeyId === '' ? '' : 'aws:kms');
  if (keyFile === '' && customerKey === undefined) {
    const headers = {
      ...(algorithm === '' ? {} : { 'x-amz-server-side-encryption': algorithm }),
      ...(kmsKeyId === '' ? {} : { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }),
    };
    return { ofNew: async () => headers, ofBytes: async () => ({}), needsKey: false };
  }
  if (algorithm !== '') {
    throw invalid('a customer key cannot be used together with config.kmsKeyId or config.serverSideEncryption');
  }
  if (!config.tls) throw invalid('a customer key is only sent over https, and config.s3Url is an http address');
  if (keyFile !== '' && customerKey !== undefined) throw invalid('a customer key is given twice');
  if (customerKey !== undefined && customerKey.length !== keyBytes) {
    throw invalid(`the customer key has ${customerKey.length} bytes, not ${keyBytes}`);
  }
  const headers = async () => headersOf(customerKey ?? (await readCustomerKeyFile(keyFile)));
  return { ofNew: headers, ofBytes: headers, needsKey: true };
}

function headersOf(key: Uint8Array): Headers {
  return {
    [`${customerPrefix}-algorithm`]: 'AES256',
    [`${customerPrefix}-key`]: Buffer.from(key).toString('base64'),
    [`${customerPrefix}-key-md5`]: createHash('md5').update(key).digest('base64'),
  };
}

/**
 * The key of config.customerKeyEncryptionFile: the first 32 bytes of the file. More are ignored, as Velero does,
 * so that what it wrote with a key file that ends in a line break can be read.
 * @throws LOCATION_INVALID
 */
export async function readCustomerKeyFile(path: string): Promise<Uint8Array> {
  const key = Buffer.alloc(keyBytes);
  try {
    const file = await open(path);
    try {
      const { bytesRead } = await file.read(key, 0, keyBytes, 0);
      if (bytesRead === keyBytes) return key;
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw invalid(`config.customerKeyEncryptionFile "${path}" cannot be read`, cause);
  }
  throw invalid(`config.customerKeyEncryptionFile "${path}" has less than ${keyBytes} bytes`);
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('LOCATION_INVALID', message, {
    retry: 'later',
    ...(cause === undefined ? {} : { cause }),
    nextStep: 'Correct spec.config of the BackupStorageLocation.',
  });
}
