import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { AwsV4Signer } from 'aws4fetch';
import { type S3Signing, signedTime } from './s3-client.ts';
import { type S3Place, urlOf } from './s3-config.ts';

/** Signature version 4 in a query holds no longer (Amazon S3 API reference, "Authenticating requests: query parameters"). */
const ttlSecondsMax = 7 * 24 * 60 * 60;

export interface PublicGet {
  key: string;
  ttlMs: number;
  /** Scheme and host instead of the endpoint's. */
  publicUrl?: string | undefined;
}

/** A presigned GET. Nothing is contacted. @throws SIGNED_URL_UNSUPPORTED */
export async function signedUrl(signing: S3Signing, get: PublicGet, clock: Clock): Promise<string> {
  const seconds = Math.ceil(get.ttlMs / 1_000);
  if (!(seconds >= 1 && seconds <= ttlSecondsMax)) {
    const most = durationText(ttlSecondsMax * 1_000);
    throw unsupported(`S3 signs URLs for 1s to ${most}, not for ${durationText(get.ttlMs)}`, 'Request another time.');
  }
  const signed = await new AwsV4Signer({
    ...signing.keys,
    method: 'GET',
    url: urlOf(publicPlace(signing.place, get.publicUrl), get.key, { 'X-Amz-Expires': String(seconds) }),
    service: 's3',
    region: signing.region,
    datetime: signedTime(clock),
    signQuery: true,
  }).sign();
  return signed.url.toString();
}

export const unsupported = (message: string, nextStep: string): AppError =>
  new AppError('SIGNED_URL_UNSUPPORTED', message, { nextStep });

function publicPlace(place: S3Place, publicUrl: string | undefined): S3Place {
  if (publicUrl === undefined || publicUrl === '') return place;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/') {
    throw unsupported(
      `config.publicUrl "${url === undefined ? publicUrl : url.origin + url.pathname}" is not the address of a host`,
      'Write it as https://host[:port].',
    );
  }
  return { ...place, endpoint: url.host, tls: url.protocol === 'https:' };
}
