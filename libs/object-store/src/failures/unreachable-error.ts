import { AppError, isAppError, type RetryFate } from '@lateen/errors';
import { giveCredentials, type ProxyError, proxyErrorIn } from '../proxies/proxy-error.ts';
import { notTheService, type StorePlace } from './store-place.ts';

/** A server that was asked, for messages. */
export interface AskedServer extends Pick<StorePlace, 'tls' | 'service' | 'setting' | 'hostSetting'> {
  /** `object store https://s3.test`. */
  what: string;
}

interface Reason {
  /** Codes of Node, OpenSSL or undici. */
  codes: RegExp;
  says: string;
  retry: RetryFate;
  nextStep(asked: AskedServer): string;
}

const network = 'Check the network between the cluster and the object store.';
const addressAndNetwork = ({ setting }: { setting: string }): string =>
  setting === '' ? network : `Check ${setting} and the network between the cluster and the object store.`;
const nameAndDns = ({ setting, hostSetting }: AskedServer): string => {
  const entry = setting || hostSetting;
  return entry === '' ? 'Check the DNS of the cluster.' : `Check ${entry} and the DNS of the cluster.`;
};
const renew = () => 'Renew the certificate of the object store, and check the clock of the node.';

/** In order: the first that matches is said. */
const reasons: readonly Reason[] = [
  { codes: /^ENOTFOUND$/, says: 'its host name does not resolve', retry: 'later', nextStep: nameAndDns },
  { codes: /^EAI_/, says: 'the name server does not answer', retry: 'soon', nextStep: nameAndDns },
  {
    codes: /^ECONNREFUSED$/,
    says: 'it refuses connections',
    retry: 'soon',
    nextStep: ({ setting }) => (setting === '' ? network : `Nothing listens there; check host and port in ${setting}.`),
  },
  { codes: /^CERT_HAS_EXPIRED$/, says: 'its certificate has expired', retry: 'later', nextStep: renew },
  { codes: /^CERT_NOT_YET_VALID$/, says: 'its certificate is not valid yet', retry: 'later', nextStep: renew },
  {
    codes: /ALTNAME/,
    says: 'its certificate is for another name',
    retry: 'later',
    nextStep: ({ setting }) =>
      setting === ''
        ? 'Check what stands between the cluster and the object store: something else answers in its place.'
        : `Use a name that is in the certificate as host in ${setting}.`,
  },
  {
    codes: /CERT|SELF_SIGNED|UNABLE_TO/,
    says: 'its certificate is not trusted',
    retry: 'later',
    nextStep: () => 'Give the certificate of its authority in objectStorage.caCertRef.',
  },
  {
    codes: /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_LAYER/,
    says: 'it does not speak TLS',
    retry: 'later',
    nextStep: ({ setting }) => (setting === '' ? network : `Check http or https, and the port, in ${setting}.`),
  },
  {
    codes: /^EPROTO$|SSL|TLS/,
    says: 'the TLS handshake fails',
    retry: 'later',
    nextStep: () => 'Check which versions of TLS, and which certificates of clients, the object store asks for.',
  },
  { codes: /TIMEOUT|ETIMEDOUT/, says: 'it does not answer in time', retry: 'soon', nextStep: addressAndNetwork },
  {
    codes: /^(ENETUNREACH|EHOSTUNREACH)$/,
    says: 'there is no route to it',
    retry: 'later',
    nextStep: addressAndNetwork,
  },
];

const lost: Reason = {
  codes: /(?:)/,
  says: 'the connection was lost',
  retry: 'soon',
  nextStep: ({ setting, tls }) =>
    setting === '' || tls
      ? addressAndNetwork({ setting })
      : `Check the network between the cluster and the object store, and whether ${setting} needs https.`,
};

/**
 * No answer, or half of one: DNS, connection, TLS, time, or something that is not HTTP. What Node, OpenSSL and undici say
 * is the cause; it never differs between two tries.
 */
export function unreachableError(cause: unknown, asked: AskedServer): AppError {
  // An unreachable proxy is reported already.
  if (isAppError(cause)) return cause;
  const proxied = proxyErrorIn(cause);
  if (proxied?.isProxys === true) return refusedByProxy(proxied, asked);
  const { setting } = asked;
  const what = proxied === undefined ? asked.what : `${asked.what}, by the proxy ${proxied.proxy},`;
  const code = codeOf(cause);
  if (/OVERFLOW/.test(code)) {
    // What undici and Node say of it is the same in other words.
    return badAnswer(`${what} answers with larger headers than are read`, undefined, notTheService(asked));
  }
  // undici's errors have a code of the parser at times only, Node's have nothing else.
  if (/^HPE_/.test(code) || (cause instanceof Error && cause.name === 'HTTPParserError')) {
    const next = setting === '' ? network : `Check host and port in ${setting}, and whether it needs https.`;
    return badAnswer(`${what} does not answer in HTTP`, cause, next);
  }
  const reason = reasons.find(({ codes }) => codes.test(code)) ?? lost;
  return new AppError('OBJECT_STORE_UNAVAILABLE', `${what} cannot be reached: ${reason.says}`, {
    retry: reason.retry,
    cause: spoken(cause),
    nextStep: proxied === undefined ? reason.nextStep(asked) : `${reason.nextStep(asked)} ${byProxy}`,
  });
}

const byProxy = 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the pod route these requests through a proxy.';

/** The proxy refused the connection: the state of the store is not known. */
function refusedByProxy({ proxy, status, cause }: ProxyError, { what }: AskedServer): AppError {
  if (status === 407) {
    return badAnswer(
      `the proxy ${proxy} before ${what} asks for credentials of its own (HTTP 407)`,
      undefined,
      giveCredentials,
    );
  }
  const where = `${what}, by the proxy ${proxy}, cannot be reached`;
  if (status !== undefined) {
    return new AppError('OBJECT_STORE_UNAVAILABLE', `${where}: the proxy answers HTTP ${status}`, {
      retry: status >= 500 ? 'soon' : 'later',
      nextStep:
        'Allow the pods in the proxy to reach the object store, or name the store in NO_PROXY of the pods if they reach it without.',
    });
  }
  const reason = reasons.find(({ codes }) => codes.test(codeOf(cause))) ?? lost;
  const says = reason.says.replace(/^its /, "the proxy's ").replace(/^it /, 'the proxy ');
  return new AppError('OBJECT_STORE_UNAVAILABLE', `${where}: ${says}`, {
    retry: reason.retry,
    cause: spoken(cause),
    nextStep: 'Check HTTPS_PROXY and HTTP_PROXY of the pods, or name the store in NO_PROXY if they reach it without.',
  });
}

const badAnswer = (message: string, cause: unknown, nextStep: string): AppError =>
  new AppError('OBJECT_STORE_BAD_ANSWER', message, {
    retry: 'later',
    ...(cause === undefined ? {} : { cause }),
    nextStep,
  });

/**
 * OpenSSL's message contains a memory address, so it would differ at each attempt. The hint that Node adds for
 * interactive use does not help with a server in a pod.
 */
function spoken(cause: unknown): unknown {
  for (let current = cause, depth = 0; current instanceof Error && depth < causesMax; depth++) {
    if ('library' in current && 'reason' in current && typeof current.reason === 'string') {
      return new Error(current.reason);
    }
    const byHand = current.message.indexOf('; if the root CA is installed locally');
    if (byHand > 0) return new Error(current.message.slice(0, byHand));
    current = current.cause;
  }
  return cause;
}

const causesMax = 5;

/** The first code in the chain of causes; several addresses of one name fail together, in an AggregateError. */
function codeOf(cause: unknown): string {
  let found = '';
  for (let current = cause, depth = 0; typeof current === 'object' && current !== null && depth < causesMax; depth++) {
    const own = 'code' in current && typeof current.code === 'string' ? current.code : '';
    // OpenSSL's codes of a failed handshake come under Node's EPROTO.
    if (own !== '' && own !== 'EPROTO') return own;
    if ('name' in current && current.name === 'TimeoutError') return 'TIMEOUT';
    if (own === 'EPROTO') found = handshakeCode(current);
    if (found !== '' && found !== 'EPROTO') return found;
    current = current instanceof AggregateError ? current.errors[0] : 'cause' in current ? current.cause : undefined;
  }
  return found;
}

function handshakeCode(error: object): string {
  const reason =
    'reason' in error && typeof error.reason === 'string' ? error.reason : String('message' in error && error.message);
  return /wrong version number|packet length|http request|unknown protocol|record layer/i.test(reason)
    ? 'ERR_SSL_WRONG_VERSION_NUMBER'
    : 'EPROTO';
}
