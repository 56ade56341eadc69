import { AppError } from '@lateen/errors';
import type { S3StoreConfig } from './s3-config.ts';

/** An answer outside 2xx. */
export interface S3Refusal {
  status: number;
  /** `<Code>` of the error body, "" when there is none (HEAD, proxies). */
  code: string;
  /** `<Message>` of the error body. */
  message: string;
  /** x-amz-bucket-region, when the store says where the bucket really is. */
  bucketRegion?: string | undefined;
}

/** The error of the ObjectStore port for an answer. `subject` is what was asked for: `object "k"`. */
export function refusedError(refusal: S3Refusal, subject: string, config: S3StoreConfig): AppError {
  const { status, code } = refusal;
  const said = [code, refusal.message].filter((text) => text !== '').join(': ') || `HTTP ${status}`;
  const where = `bucket "${config.bucket}" at ${config.endpoint}`;
  if (code === 'NoSuchBucket' || (status === 404 && subject === '')) {
    return new AppError('BUCKET_NOT_FOUND', `${where} does not exist (${said})`, {
      retry: 'later',
      nextStep: 'Create the bucket, or correct its name.',
    });
  }
  if (status === 404) return new AppError('OBJECT_NOT_FOUND', `${subject} is not in ${where}`);
  if (status === 301 || status === 307 || code === 'AuthorizationHeaderMalformed') {
    const region = refusal.bucketRegion === undefined ? '' : ` The bucket is in ${refusal.bucketRegion}.`;
    return new AppError('OBJECT_STORE_BAD_ANSWER', `${where} cannot be used with region "${config.region}" (${said})`, {
      retry: 'later',
      nextStep: `Set config.region to the region of the bucket.${region}`,
    });
  }
  if (status === 401 || status === 403) {
    return new AppError('OBJECT_STORE_FORBIDDEN', `${where} refuses access (${said})`, {
      retry: 'later',
      nextStep: 'Check the keys in the Secret and what their owner may do with the bucket.',
    });
  }
  if (status === 429 || status >= 500) {
    return new AppError('OBJECT_STORE_UNAVAILABLE', `${where} answers ${said}`, { retry: 'later' });
  }
  return new AppError(
    'OBJECT_STORE_BAD_ANSWER',
    `${where} answers HTTP ${status} (${said}) for ${subject || 'a listing'}`,
    {
      retry: 'later',
    },
  );
}

/** No answer at all: DNS, connection, TLS, time. */
export function unreachableError(cause: unknown, config: S3StoreConfig): AppError {
  const scheme = config.tls ? 'https' : 'http';
  return new AppError('OBJECT_STORE_UNAVAILABLE', `object store ${scheme}://${config.endpoint} cannot be reached`, {
    retry: 'later',
    cause,
    nextStep: nextStepFor(codeOf(cause)),
  });
}

function nextStepFor(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name does not resolve; check s3Url.';
  if (code === 'ECONNREFUSED') return 'Nothing listens there; check host and port of s3Url.';
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return 'Its certificate is not trusted; give its authority in objectStorage.caCertRef.';
  }
  if (code === 'EPROTO' || /SSL/.test(code)) return 'It does not speak TLS; check http or https in s3Url.';
  return 'Check s3Url and the network between the cluster and the object store.';
}

function codeOf(cause: unknown): string {
  for (let current = cause, depth = 0; typeof current === 'object' && current !== null && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : undefined;
  }
  return '';
}
