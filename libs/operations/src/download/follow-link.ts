import { AppError } from '@lateen/errors';
import { environmentProxies, proxyErrorIn } from '@lateen/object-store';
import { proxiedAgent } from '@lateen/object-store/proxied-agent';
import { type Dispatcher, errors, interceptors, request } from 'undici';
import { refusedLink, unreachableLink } from './link-error.ts';

export interface FollowOptions {
  /** PEM; see `trustedAuthorities`. */
  authorities: readonly string[] | undefined;
  insecureSkipTlsVerify: boolean;
  /** The variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read as `environmentProxies` describes. */
  env: Readonly<Record<string, string | undefined>>;
  /** The time-out of connecting, of the wait for the first byte, and of the wait between two pieces of the file. */
  silenceMs: number;
}

/** A file that is being downloaded. */
export interface LinkedFile {
  /** Absent when the store does not say. */
  totalBytes: number | undefined;
  /** The stored bytes, read from the connection as they are consumed. @throws AppError DOWNLOAD_BROKEN when the file ends early */
  pieces: AsyncIterable<Uint8Array>;
}

/** A store redirects once for a bucket that was moved; the limit ends a loop of redirections. */
const redirectionsMax = 5;

/** How much of an error's body is printed. */
const errorCharsMax = 4_096;

/**
 * GETs a signed link without additional headers and passes the file to `use`; the connection is closed afterwards. Messages contain at
 * most the host: the link itself is a secret.
 * @throws AppError FILE_NOT_FOUND, DOWNLOAD_FAILED, DOWNLOAD_UNREACHABLE, DOWNLOAD_TLS | what `use` throws | the signal's reason
 */
export async function followLink<R>(
  url: string,
  options: FollowOptions,
  use: (file: LinkedFile) => Promise<R>,
  signal: AbortSignal,
): Promise<R> {
  const host = hostOf(url);
  const agent = agentFor(options);
  try {
    const answer = await get(url, host, agent, signal);
    if (answer.statusCode !== 200) throw refusedLink(answer.statusCode, await headOf(answer.body));
    const said = Number(answer.headers['content-length']);
    return await use({
      totalBytes: Number.isSafeInteger(said) && said >= 0 ? said : undefined,
      pieces: piecesOf(answer.body, host, signal),
    });
  } finally {
    // destroy, because close would wait for a file that is not read any more.
    await agent.destroy();
  }
}

function hostOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return parsed.host;
  throw new AppError('DOWNLOAD_FAILED', 'the server has answered with an invalid link');
}

function agentFor({ authorities, insecureSkipTlsVerify, env, silenceMs }: FollowOptions): Dispatcher {
  const tls = {
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...(authorities === undefined ? {} : { ca: [...authorities] }),
  };
  const waits = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  return proxiedAgent({ ...waits, connect: { ...tls, timeout: silenceMs } }, environmentProxies(env));
}

async function get(
  url: string,
  host: string,
  agent: Dispatcher,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const redirect = interceptors.redirect({ maxRedirections: redirectionsMax, throwOnMaxRedirect: true });
  try {
    return await request(url, { dispatcher: agent.compose(redirect), signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw unreachableLink(cause, host);
  }
}

async function headOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of body) {
      text += decoder.decode(piece, { stream: true });
      if (text.length >= errorCharsMax) break;
    }
  } catch (error) {
    // When reading the error's body fails, the HTTP error is reported all the same.
    if (!(error instanceof Error)) throw error;
  }
  return text.slice(0, errorCharsMax);
}

async function* piecesOf(body: AsyncIterable<Buffer>, host: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    signal.throwIfAborted();
    const silent = (proxyErrorIn(cause)?.cause ?? cause) instanceof errors.BodyTimeoutError;
    throw new AppError(
      'DOWNLOAD_BROKEN',
      silent ? `${host} has stopped sending` : `the file from ${host} has ended too early`,
      {
        retry: 'soon',
        cause,
        nextStep: 'Try again.',
      },
    );
  }
}
