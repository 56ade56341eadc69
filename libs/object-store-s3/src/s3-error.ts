import { AppError, type AppErrorOptions } from '@lateen/errors';

/** What errors say about where a request went. */
export interface AskedPlace {
  bucket: string;
  endpoint: string;
  tls: boolean;
  /** What the request was signed for. */
  region: string;
}

/** An answer outside 2xx. */
export interface S3Refusal {
  status: number;
  /** `<Code>` of the error body, "" when there is none (HEAD, proxies). */
  code: string;
  /** `<Message>` of the error body. */
  message: string;
  /** Where the store says the bucket is: x-amz-bucket-region, or `<Region>` of the body. */
  bucketRegion?: string | undefined;
  /** True when the body is a web page. */
  isHtml?: boolean;
  /** Host of the Location header. */
  redirectHost?: string | undefined;
  /** Store's clock minus ours, by its Date header. */
  clockSkewMs?: number | undefined;
}

/** Longest text of others that goes into a message. */
const saidMax = 300;

/** The error of the ObjectStore port for an answer. `subject` is what was asked for: `object "k"`, "" for the bucket. */
export function refusedError(refusal: S3Refusal, subject: string, asked: AskedPlace): AppError {
  const { status, code } = refusal;
  const said = saidIn(refusal);
  const where = `bucket "${asked.bucket}" at ${asked.endpoint}`;
  if (code === 'NoSuchBucket' || (status === 404 && subject === '' && refusal.isHtml !== true)) {
    return new AppError('BUCKET_NOT_FOUND', `${where} does not exist (${said})`, {
      retry: 'later',
      nextStep: 'Create the bucket, or correct its name.',
    });
  }
  if (status === 404 && (code !== '' || refusal.isHtml !== true)) {
    return new AppError('OBJECT_NOT_FOUND', `${subject} is not in ${where}`);
  }
  if ((status >= 300 && status < 400) || code === 'AuthorizationHeaderMalformed') {
    return elsewhere(refusal, said, where, asked);
  }
  if (code.startsWith('KMS.')) {
    return bad(`${where} cannot use its encryption key (${said})`, 'Check config.kmsKeyId and who may use that key.');
  }
  if (status === 401 || status === 403 || code === 'ExpiredToken') return forbidden(refusal, said, where);
  if (status === 429 || status >= 500) {
    const retry = code === 'NotImplemented' || status === 501 ? 'later' : 'soon';
    return new AppError('OBJECT_STORE_UNAVAILABLE', `${where} answers ${said}`, {
      retry,
      ...(retry === 'soon' ? {} : { nextStep: 'A store that knows no checksums needs config.checksumAlgorithm "".' }),
    });
  }
  const about = subject || 'the bucket';
  if (refusal.isHtml === true) return bad(`${where} answers ${said} for ${about}`, notAWebPage);
  if (code === 'RequestTimeout') {
    return new AppError('OBJECT_STORE_UNAVAILABLE', `${where} answers ${said} for ${about}`, { retry: 'soon' });
  }
  return new AppError('OBJECT_STORE_BAD_ANSWER', `${where} answers HTTP ${status} (${said}) for ${about}`, {
    retry: 'later',
  });
}

export const notAWebPage = 'Check that s3Url is the address of an S3 service, not of its web page or of a proxy.';

const bad = (message: string, nextStep: string): AppError =>
  new AppError('OBJECT_STORE_BAD_ANSWER', message, { retry: 'later', nextStep });

function saidIn({ status, code, message, isHtml }: S3Refusal): string {
  const text = [code, message].filter((part) => part !== '').join(': ');
  if (text === '') return isHtml === true ? `HTTP ${status} with a web page` : `HTTP ${status}`;
  const printable = text.replace(/\p{Cc}+/gu, ' ');
  return printable.length > saidMax ? `${printable.slice(0, saidMax)}…` : printable;
}

function elsewhere(refusal: S3Refusal, said: string, where: string, asked: AskedPlace): AppError {
  const { bucketRegion, redirectHost } = refusal;
  if (bucketRegion === undefined && redirectHost !== undefined) {
    return bad(
      `${where} sends us to ${redirectHost} (${said}), which is not followed`,
      redirectHost === asked.endpoint
        ? 'It redirects in a circle; check whether s3Url needs https.'
        : 'Set config.s3Url to the address that answers itself.',
    );
  }
  if (bucketRegion === asked.region) {
    return bad(
      `${where} redirects in a circle: it names the region "${asked.region}" that was asked (${said})`,
      'Check config.s3Url and config.region.',
    );
  }
  const region = bucketRegion === undefined ? '' : ` The bucket is in ${bucketRegion}.`;
  return bad(
    `${where} cannot be used with region "${asked.region}" (${said})`,
    `Set config.region to the region of the bucket.${region}`,
  );
}

/** What to do about the codes of 403 (Amazon S3 API reference, "Error responses"). */
const forbiddenNext: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'The store does not know the access key; check aws_access_key_id in the Secret.',
  SignatureDoesNotMatch: 'The secret access key is wrong; check aws_secret_access_key in the Secret.',
  AccessDenied: 'Check what the owner of the keys may do with the bucket (its policy, and that of the bucket).',
  AllAccessDisabled: 'The account of the bucket is closed or suspended.',
};

function forbidden(refusal: S3Refusal, said: string, where: string): AppError {
  const refuse = (message: string, options: AppErrorOptions) =>
    new AppError('OBJECT_STORE_FORBIDDEN', message, options);
  const { code, clockSkewMs } = refusal;
  if (code === 'RequestTimeTooSkewed') {
    const skew = clockSkewMs === undefined ? '' : ` by ${Math.max(Math.round(Math.abs(clockSkewMs) / 60_000), 1)} min`;
    return refuse(`${where} refuses access because its clock and ours differ${skew} (${said})`, {
      retry: 'later',
      nextStep: 'Set the clock of the node, or that of the object store (NTP).',
    });
  }
  if (['ExpiredToken', 'TokenRefreshRequired', 'InvalidToken'].includes(code)) {
    return refuse(`${where} refuses access because the credentials have expired (${said})`, {
      retry: 'later',
      nextStep: 'Put fresh credentials into the Secret.',
    });
  }
  if (refusal.isHtml === true)
    return refuse(`${where} refuses access (${said})`, { retry: 'later', nextStep: notAWebPage });
  return refuse(`${where} refuses access (${said})`, {
    retry: 'later',
    nextStep: forbiddenNext[code] ?? 'Check the keys in the Secret and what their owner may do with the bucket.',
  });
}
