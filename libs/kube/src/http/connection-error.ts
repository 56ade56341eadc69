import { AppError, type RetryFate } from '@lateen/errors';

/** How an attempt to reach the API server failed. */
interface ConnectionFailure {
  text: string;
  nextStep: string;
  retry: RetryFate;
  /** The request cannot have reached the server: also a write may be repeated. */
  neverSent: boolean;
}

const checkRunning = 'Check that the API server is running and that this address is right';
const checkName = 'Check the server name in the kubeconfig and the DNS of this machine';
const checkNetwork = 'Check the network, firewall and proxy between here and the API server';
const checkCa = "Check certificate-authority-data in the kubeconfig: it must be the CA of this cluster's API server";
const checkLogs = 'Look at the API server’s log if this repeats';

const refused = { text: 'connection refused', nextStep: checkRunning, retry: 'soon', neverSent: true } as const;
const unresolved = { text: 'host name not found', nextStep: checkName, retry: 'never', neverSent: true } as const;
const unreachable = { text: 'no route to the host', nextStep: checkNetwork, retry: 'soon', neverSent: true } as const;
const slow = {
  text: 'no connection within the time limit',
  nextStep: checkNetwork,
  retry: 'soon',
  neverSent: true,
} as const;
const silent = {
  text: 'no answer within the time limit',
  nextStep: checkLogs,
  retry: 'soon',
  neverSent: false,
} as const;
const broken = {
  text: 'the connection was interrupted',
  nextStep: checkLogs,
  retry: 'soon',
  neverSent: false,
} as const;
const untrusted = (text: string): ConnectionFailure => ({ text, nextStep: checkCa, retry: 'never', neverSent: true });
const unknownCa = untrusted('its certificate is signed by an authority that is not trusted');

/** By the `code` of Node, OpenSSL or undici. */
const failures: Readonly<Record<string, ConnectionFailure>> = {
  ECONNREFUSED: refused,
  ENOENT: refused,
  ENOTFOUND: unresolved,
  EAI_AGAIN: { ...unresolved, text: 'host name could not be looked up', retry: 'soon' },
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  UND_ERR_CONNECT_TIMEOUT: slow,
  CONNECT_TIMEOUT: slow,
  UND_ERR_HEADERS_TIMEOUT: silent,
  UND_ERR_BODY_TIMEOUT: silent,
  HEADERS_TIMEOUT: silent,
  BODY_TIMEOUT: silent,
  ETIMEDOUT: silent,
  ECONNRESET: broken,
  EPIPE: broken,
  UND_ERR_SOCKET: broken,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: broken,
  SELF_SIGNED_CERT_IN_CHAIN: unknownCa,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownCa,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownCa,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownCa,
  UNABLE_TO_GET_ISSUER_CERT: unknownCa,
  CERT_SIGNATURE_FAILURE: unknownCa,
  CERT_HAS_EXPIRED: untrusted('its certificate has expired'),
  CERT_NOT_YET_VALID: untrusted('its certificate is not valid yet'),
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted('its certificate is for another host name'),
};

/**
 * The error for a request that got no (whole) answer. `details.reason` is the code of Node, OpenSSL or undici;
 * `details.neverSent` says that the request cannot have had an effect.
 */
export function connectionError(error: unknown, request: { purpose: string }, server: string): AppError {
  const code = codeIn(error);
  const failure = failures[code] ?? (isTlsCode(code) ? untrusted('the TLS handshake failed') : broken);
  return new AppError('KUBE_UNAVAILABLE', `cannot ${request.purpose} at the API server ${server}: ${failure.text}`, {
    retry: failure.retry,
    cause: error,
    nextStep: failure.nextStep,
    details: { reason: code, neverSent: failure.neverSent },
  });
}

/** The first known code in the chain of causes; happy eyeballs wraps one error per address into an AggregateError. */
function codeIn(error: unknown, depth = 0): string {
  if (typeof error !== 'object' || error === null || depth > 4) return '';
  const own = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (own in failures || isTlsCode(own)) return own;
  const inner = error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined;
  return codeIn(inner, depth + 1) || own;
}

function isTlsCode(code: string): boolean {
  return code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code.startsWith('CERT_');
}
