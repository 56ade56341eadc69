import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c } from '@aws-crypto/crc32c';
import { AppError } from '@lateen/errors';

/** How the store checks that a body arrived as it was sent (Amazon S3 user guide, "Checking object integrity"). */
export interface Checksum {
  /** Of a request that begins a multipart upload. */
  ofUpload: Readonly<Record<string, string>>;
  /** Of a request with this body. */
  ofBody(body: Uint8Array): Readonly<Record<string, string>>;
  /** What the list of parts says about one, whose value `ofBody` made. */
  element: string;
  headerName: string;
}

const bytesOfNumber = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

const algorithms: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  CRC32: (body) => bytesOfNumber(crc32(body)),
  CRC32C: (body) => bytesOfNumber(crc32c(body)),
  SHA1: (body) => createHash('sha1').update(body).digest(),
  SHA256: (body) => createHash('sha256').update(body).digest(),
};

/** @param name "" for none; absent is CRC32. @throws LOCATION_INVALID */
export function checksumOf(name = 'CRC32'): Checksum | undefined {
  if (name === '') return undefined;
  const digest = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
  if (digest === undefined) {
    throw new AppError('LOCATION_INVALID', `config.checksumAlgorithm "${name}" is not known`, {
      nextStep: `Use one of ${Object.keys(algorithms).join(', ')}, or "" for none.`,
    });
  }
  const headerName = `x-amz-checksum-${name.toLowerCase()}`;
  return {
    ofUpload: { 'x-amz-checksum-algorithm': name },
    ofBody: (body) => ({ 'x-amz-sdk-checksum-algorithm': name, [headerName]: digest(body).toString('base64') }),
    element: `Checksum${name}`,
    headerName,
  };
}
