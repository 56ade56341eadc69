import { AppError, isAppError, plainLine } from '@lateen/errors';
import { type ProxyError, proxyErrorIn, withoutSignatures } from '@lateen/object-store';

/** The error for an answer other than 200; the words are Velero's (cli.md section 7). `body` may be cut. */
export function refusedLink(status: number, body: string): AppError {
  if (status === 404) return new AppError('FILE_NOT_FOUND', 'file not found');
  const said = plainLine(withoutSignatures(body));
  return new AppError('DOWNLOAD_FAILED', `request failed: ${said === '' ? `HTTP ${status}` : said}`);
}

/** No answer at all: DNS, connection, TLS, redirections, time. */
export function unreachableLink(cause: unknown, host: string): AppError {
  if (isAppError(cause)) return new AppError('DOWNLOAD_FAILED', cause.message, nextOf(cause));
  const proxied = proxyErrorIn(cause);
  if (proxied?.isProxys === true) return stoppedByProxy(proxied, host);
  const code = codeOf(proxied?.cause ?? cause);
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(code)) {
    return new AppError('DOWNLOAD_TLS', `the certificate of ${host} is not trusted`, {
      cause,
      nextStep:
        'Give its authority with --cacert FILE; --insecure-skip-tls-verify accepts any certificate, which is insecure.',
    });
  }
  return new AppError('DOWNLOAD_UNREACHABLE', `the link leads to ${host}, which does not answer`, {
    retry: 'later',
    cause,
    nextStep: nextStepFor(code),
  });
}

const nextOf = ({ nextStep }: AppError) => (nextStep === undefined ? {} : { nextStep });

function stoppedByProxy({ proxy, status, cause }: ProxyError, host: string): AppError {
  const said = status === undefined ? 'cannot be reached' : `answers HTTP ${status}`;
  return new AppError('DOWNLOAD_UNREACHABLE', `the link leads to ${host}, and the proxy ${proxy} before it ${said}`, {
    retry: 'later',
    cause,
    nextStep:
      status === 407
        ? "Give the proxy's credentials in HTTPS_PROXY or HTTP_PROXY (http://USER:PASSWORD@HOST:PORT), or name the host in NO_PROXY."
        : 'Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY if it is reached without.',
  });
}

function nextStepFor(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'This machine does not know the name; config.publicUrl of the location names one that is known outside the cluster.';
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return 'Its answer is not that of an object store; look what is at that address.';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO')
    return 'It does not speak TLS; check http or https in s3Url.';
  return 'Check the network from here to it; config.publicUrl of the location names an address that can be reached from outside the cluster.';
}

function codeOf(cause: unknown): string {
  for (let current = cause, depth = 0; typeof current === 'object' && current !== null && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = 'cause' in current ? current.cause : undefined;
  }
  return '';
}
