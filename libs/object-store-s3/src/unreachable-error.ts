import { AppError, type RetryFate } from '@lateen/errors';

interface Reason {
  /** Codes of Node, OpenSSL or undici. */
  codes: RegExp;
  says: string;
  retry: RetryFate;
  nextStep: string;
}

const network = 'Check s3Url and the network between the cluster and the object store.';
const authority = 'Its certificate is not trusted; give its authority in objectStorage.caCertRef.';

/** In order: the first that matches is said. */
const reasons: readonly Reason[] = [
  {
    codes: /^ENOTFOUND$/,
    says: 'its host name does not resolve',
    retry: 'later',
    nextStep: 'The host name does not resolve; check s3Url.',
  },
  {
    codes: /^EAI_AGAIN$/,
    says: 'the name server does not answer',
    retry: 'soon',
    nextStep: 'The host name does not resolve; check s3Url and the DNS of the cluster.',
  },
  {
    codes: /^ECONNREFUSED$/,
    says: 'it refuses connections',
    retry: 'soon',
    nextStep: 'Nothing listens there; check host and port of s3Url.',
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    says: 'its certificate has expired',
    retry: 'later',
    nextStep: 'Renew the certificate of the object store, and check the clock of the node.',
  },
  {
    codes: /ALTNAME/,
    says: 'its certificate is for another name',
    retry: 'later',
    nextStep: 'Use a name that is in the certificate as host of s3Url.',
  },
  {
    codes: /CERT|SELF_SIGNED|UNABLE_TO/,
    says: 'its certificate is not trusted',
    retry: 'later',
    nextStep: authority,
  },
  {
    codes: /^EPROTO$|SSL|TLS/,
    says: 'it does not speak TLS',
    retry: 'later',
    nextStep: 'It does not speak TLS; check http or https in s3Url.',
  },
  {
    codes: /TIMEOUT|ETIMEDOUT/,
    says: 'it does not answer in time',
    retry: 'soon',
    nextStep: network,
  },
  { codes: /^(ENETUNREACH|EHOSTUNREACH)$/, says: 'no way leads there', retry: 'later', nextStep: network },
];

const otherwise = { says: 'the connection was lost', retry: 'soon' as const, nextStep: network };

/** No answer, or half of one: DNS, connection, TLS, time. */
export function unreachableError(cause: unknown, asked: { endpoint: string; tls: boolean }): AppError {
  const at = `object store ${asked.tls ? 'https' : 'http'}://${asked.endpoint}`;
  const code = codeOf(cause);
  if (/OVERFLOW/.test(code)) {
    return new AppError('OBJECT_STORE_BAD_ANSWER', `${at} answers with larger headers than are read`, {
      retry: 'later',
      cause,
      nextStep: 'Check that s3Url is the address of an S3 service.',
    });
  }
  // Only some of these errors have a code of the parser (HPE_…).
  if (cause instanceof Error && cause.name === 'HTTPParserError') {
    return new AppError('OBJECT_STORE_BAD_ANSWER', `${at} does not answer in HTTP`, {
      retry: 'later',
      cause,
      nextStep: 'Check host and port of s3Url, and whether it needs https.',
    });
  }
  const { says, retry, nextStep } = reasons.find(({ codes }) => codes.test(code)) ?? otherwise;
  return new AppError('OBJECT_STORE_UNAVAILABLE', `${at} cannot be reached: ${says}`, { retry, cause, nextStep });
}

function codeOf(cause: unknown): string {
  for (let current = cause, depth = 0; typeof current === 'object' && current !== null && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : undefined;
  }
  return '';
}
