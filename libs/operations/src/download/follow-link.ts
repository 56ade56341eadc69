import { AppError } from '@lateen/errors';
import { environmentProxies, proxyErrorIn } from '@lateen/object-store';
import { proxiedAgent } from '@lateen/object-store/proxied-agent';
import { type Dispatcher, errors, interceptors, request } from 'undici';
import { refusedLink, unreachableLink } from './link-error.ts';

export interface FollowOptions {
  /** PEM; see `trustedAuthorities`. */
  authorities: readonly string[] | undefined;
  insecureSkipTlsVerify: boolean;
  /** Read: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, as `environmentProxies` says. */
  env: Readonly<Record<string, string | undefined>>;
  /** To connect, to the first byte, and between two pieces of the file. */
  silenceMs: number;
}

/** A file that comes. */
export interface LinkedFile {
  /** Absent when the store does not say. */
  totalBytes: number | undefined;
  /** As it is stored, in pieces, as they are taken. @throws AppError DOWNLOAD_BROKEN when it ends early */
  pieces: AsyncIterable<Uint8Array>;
}

/** A store that moved a bucket redirects once; a loop must end. */
const redirectionsMax = 5;

/** Of an error's body, which is printed. */
const errorCharsMax = 4_096;

/**
 * GETs a signed link, without any header more, and hands the file to `use`; the connection ends with it. Messages name the
 * host at most: the link itself is a secret.
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
    // Not close: that waits for a file that nobody reads any more.
    await agent.destroy();
  }
}

function hostOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return parsed.host;
  throw new AppError('DOWNLOAD_FAILED', 'the server has answered with something that is no link');
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
    // An error whose words break off is still the error that is told.
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
