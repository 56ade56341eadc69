import type { IncomingMessage } from 'node:http';
import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { beginningOf } from './failures/beginning-of.ts';
import { type OwnWords, type Refusal, refusalOf } from './failures/refusal.ts';
import { type ProviderWords, refusedError } from './failures/refused-error.ts';
import type { StorePlace } from './failures/store-place.ts';
import { notWhatWasAsked } from './failures/strange-answer.ts';
import { unreachableError } from './failures/unreachable-error.ts';
import { jsonObjectIn } from './json-object.ts';
import { oneHeader } from './one-header.ts';
import type { ProxyFor } from './proxies/proxies.ts';
import { postLean } from './proxies/send-lean.ts';

/** Token services answer with a few kilobytes, and soon. */
const limits = { answerMs: 30_000, bytesMax: 64 * 1024, headerBytesMax: 16 * 1024 };

export interface TokenQuestion {
  /** Of the token service. */
  url: string;
  body: URLSearchParams;
  /** Values of `body` that prove who asks; the service may repeat them. */
  secrets: readonly string[];
  /** `Microsoft Entra ID`, for messages. */
  service: string;
  /** Where a person gives the address; "" when nowhere. */
  setting: string;
  /** What the provider knows about a refusal: `error` is its code. */
  wordsOf(refusal: Refusal): ProviderWords;
}

/**
 * Asks for an access token (RFC 6749, section 4). Redirects are not followed, they would carry the proof elsewhere; of
 * the answer no more than 64 KiB is read.
 * @throws OBJECT_STORE_FORBIDDEN, OBJECT_STORE_UNAVAILABLE, OBJECT_STORE_BAD_ANSWER, or the reason of `signal`; neither
 *   proof nor token is in a message
 */
export async function askToken(
  question: TokenQuestion,
  { clock, signal, proxyFor }: { clock: Clock; signal?: AbortSignal | undefined; proxyFor?: ProxyFor | undefined },
): Promise<{ token: string; lifeMs: number }> {
  const place = tokenPlace(question);
  const timeout = clock.deadline(limits.answerMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  let answer: IncomingMessage | undefined;
  try {
    answer = await post(question, proxyFor, either);
    const { statusCode: status = 0, headers } = answer;
    const text = (await beginningOf(answer, limits.bytesMax)).bytes.toString('utf8');
    const header = (name: string) => oneHeader(headers[name]);
    if (status === 200) return grantedBy(text, { place, contentType: header('content-type') });
    const known = { nowMs: clock.now(), secrets: question.secrets };
    const refusal = refusalOf({ status, header, text }, errorIn, known);
    throw refusedError(refusal, { subject: '', place, words: wordsFor(question, refusal) });
  } catch (cause) {
    signal?.throwIfAborted();
    if (isAppError(cause)) throw cause;
    const reason = timeout.aborted ? timeout.reason : cause;
    throw unreachableError(reason, { what: `the token service ${new URL(question.url).origin}`, ...place });
  } finally {
    answer?.destroy();
  }
}

function post(
  { url, body }: TokenQuestion,
  proxyFor: ProxyFor | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  return postLean({ url, headers, body: body.toString(), headerBytesMax: limits.headerBytesMax, proxyFor }, signal);
}

/** How messages speak of a token service. */
export function tokenPlace({ url, service, setting }: Pick<TokenQuestion, 'url' | 'service' | 'setting'>): StorePlace {
  const { host, protocol } = new URL(url);
  return { kind: 'token', name: '', host, tls: protocol === 'https:', service, setting, hostSetting: '' };
}

function wordsFor({ wordsOf }: TokenQuestion, refusal: Refusal): ProviderWords {
  if (refusal.status >= 500 || refusal.status < 400 || refusal.status === 407) return {};
  // What is no error of OAuth is none of a token service.
  if (refusal.code === '') return { cause: 'strange' };
  const words = wordsOf(refusal);
  return { ...words, cause: words.cause ?? 'denied' };
}

function grantedBy(
  text: string,
  { place, contentType }: { place: StorePlace; contentType: string | undefined },
): { token: string; lifeMs: number } {
  const { access_token: token, expires_in: lifeSeconds } = jsonObjectIn(text) ?? {};
  if (typeof token !== 'string' || token === '') throw notWhatWasAsked(place, 'token', { text, contentType });
  return { token, lifeMs: (Number(lifeSeconds) || 0) * 1_000 };
}

function errorIn(text: string): OwnWords {
  const { error, error_description: description } = jsonObjectIn(text) ?? {};
  return {
    code: typeof error === 'string' ? error : '',
    // Microsoft adds the number of the try and the time, which would be another message at each one.
    message: typeof description === 'string' ? description.replace(/\s*Trace ID:.*$/s, '') : '',
  };
}
