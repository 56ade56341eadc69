import { AppError } from '@lateen/errors';
import {
  type ProviderWords,
  placeText,
  type Refusal,
  type RefusalCause,
  refusedError,
  type StorePlace,
  saidIn,
} from '@lateen/object-store';
import type { S3Place } from './s3-config.ts';

/** An answer outside 2xx. */
export interface S3Refusal extends Refusal {
  /** Where the store says the bucket is: x-amz-bucket-region, or `<Region>` of the body. */
  bucketRegion: string | undefined;
}

/** How messages speak of a bucket. At AWS the address follows from the region, and nobody wrote it. */
export function storePlaceOf({ bucket, endpoint, tls }: S3Place): StorePlace {
  const isAws = /\.amazonaws\.com(\.cn)?$/.test(endpoint);
  return {
    kind: 'bucket',
    name: bucket,
    host: endpoint,
    tls,
    service: 'an S3 service',
    setting: isAws ? '' : 'config.s3Url',
    hostSetting: 'config.region',
  };
}

/**
 * The error of the ObjectStore port for an answer. `subject` is what was asked for: `object "k"`, "" for the bucket.
 * @param region what the request was signed for
 */
export function s3RefusedError(refusal: S3Refusal, subject: string, asked: S3Place & { region: string }): AppError {
  const place = storePlaceOf(asked);
  const { status, code, bucketRegion, redirect } = refusal;
  if (code.startsWith('KMS.')) {
    return bad(
      `${placeText(place)} cannot use its encryption key (${saidIn(refusal)})`,
      'Check config.kmsKeyId and who may use that key.',
    );
  }
  const isElsewhere = (status >= 300 && status < 400) || code === 'AuthorizationHeaderMalformed';
  if (isElsewhere && (bucketRegion !== undefined || redirect === undefined)) {
    return elsewhere(refusal, placeText(place), asked.region);
  }
  return refusedError(refusal, { subject, place, words: wordsOf(refusal, subject) });
}

const bad = (message: string, nextStep: string): AppError =>
  new AppError('OBJECT_STORE_BAD_ANSWER', message, { retry: 'later', nextStep });

function elsewhere(refusal: S3Refusal, where: string, region: string): AppError {
  const { bucketRegion } = refusal;
  if (bucketRegion === region) {
    return bad(
      `${where} redirects in a loop: it names the region "${region}" that was asked (${saidIn(refusal)})`,
      'Check config.s3Url and config.region.',
    );
  }
  const itsRegion = bucketRegion === undefined ? '' : ` The bucket is in ${bucketRegion}.`;
  return bad(
    `${where} cannot be used with region "${region}" (${saidIn(refusal)})`,
    `Set config.region to the region of the bucket.${itsRegion}`,
  );
}

/** Codes that say more than their status (Amazon S3 API reference, "Error responses"). */
const causes: Readonly<Record<string, RefusalCause>> = {
  NoSuchBucket: 'noBucket',
  RequestTimeTooSkewed: 'clock',
  RequestExpired: 'clock',
  ExpiredToken: 'expired',
  TokenRefreshRequired: 'expired',
  InvalidToken: 'expired',
  AllAccessDisabled: 'disabled',
  AccountProblem: 'disabled',
  RequestTimeout: 'busy',
  SlowDown: 'busy',
  NotImplemented: 'unable',
};

const nextSteps: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'The store does not know the access key; check aws_access_key_id in the Secret.',
  SignatureDoesNotMatch: 'The secret access key is wrong; check aws_secret_access_key in the Secret.',
  AccessDenied: 'Check what the owner of the keys may do with the bucket (its policy, and that of the bucket).',
};

function wordsOf({ status, code }: S3Refusal, subject: string): ProviderWords {
  const isNoObject = status === 404 && code !== '' && code !== 'NoSuchBucket' && subject !== '';
  const cause = causes[code] ?? (isNoObject ? 'noObject' : undefined);
  const nextStep =
    cause === 'unable' || status === 501
      ? 'A store without support for checksums needs config.checksumAlgorithm "".'
      : nextSteps[code];
  return { cause, nextStep };
}
