import { AppError } from '@lateen/errors';
import { AwsV4Signer } from 'aws4fetch';
import { regionOf, type S3StoreConfig, urlOf } from './s3-config.ts';

/** Signature version 4 in a query holds no longer (Amazon S3 API reference, "Authenticating requests: query parameters"). */
const ttlSecondsMax = 7 * 24 * 60 * 60;

/** A presigned GET. Nothing is contacted. */
export async function signedUrl(config: S3StoreConfig, key: string, ttlMs: number): Promise<string> {
  const seconds = Math.ceil(ttlMs / 1_000);
  if (!(seconds >= 1 && seconds <= ttlSecondsMax)) {
    throw new AppError('SIGNED_URL_UNSUPPORTED', `S3 signs URLs for 1 to ${ttlSecondsMax} seconds, not for ${seconds}`);
  }
  const signed = await new AwsV4Signer({
    ...config.credentials,
    method: 'GET',
    url: urlOf(config, key, { 'X-Amz-Expires': String(seconds) }),
    service: 's3',
    region: regionOf(config),
    signQuery: true,
  }).sign();
  return signed.url.toString();
}
