import { isWebPage, saidText } from './said-text.ts';

/** The evaluated parts of an answer outside 2xx. */
export interface Refusal {
  status: number;
  /** The store's own code; "" when there is none (HEAD, proxies). */
  code: string;
  /** The store's own words; fit for a message. */
  message: string;
  /** True when the body is a web page. */
  isHtml: boolean;
  /** It speaks TLS, and was spoken to without. */
  wantsTls: boolean;
  /** Where the Location header leads. */
  redirect: { host: string; tls: boolean } | undefined;
  /** The store's clock minus ours, by its Date header. */
  clockSkewMs: number | undefined;
}

export interface RefusingAnswer {
  status: number;
  header(name: string): string | undefined;
  /** The beginning of the body. */
  text: string;
}

/** What a provider's own format says: XML or JSON. */
export interface OwnWords {
  code: string;
  message: string;
}

/**
 * @param wordsOf reads the provider's format; is not asked for web pages
 * @param secrets what must not be repeated
 */
export function refusalOf(
  answer: RefusingAnswer,
  wordsOf: (text: string) => OwnWords,
  { nowMs, secrets }: { nowMs: number; secrets: readonly string[] },
): Refusal {
  const { status, header, text } = answer;
  const isHtml = isWebPage(text, header('content-type'));
  const own = isHtml ? { code: '', message: '' } : wordsOf(text);
  const dateMs = Date.parse(header('date') ?? '');
  return {
    status,
    code: /^[\w.-]{1,100}$/.test(own.code) ? own.code : '',
    message: saidText(own.message || (isHtml || own.code !== '' ? '' : plainWords(text)), secrets).replace(
      /[.\s]+$/,
      '',
    ),
    isHtml,
    wantsTls: status === 400 && saysTls.test(text.slice(0, 1_000)),
    redirect: redirectOf(header('location')),
    clockSkewMs: Number.isNaN(dateMs) ? undefined : dateMs - nowMs,
  };
}

/** The words of Go's servers, and those of nginx. */
const saysTls = /HTTP request to an HTTPS server|plain HTTP request was sent to HTTPS port/i;

/** What a gateway says in plain text; what looks like a format that was not understood is nothing to read. */
function plainWords(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return /^[<{[]/.test(line) || /[\p{Cc}\ufffd]/u.test(line.trim()) ? '' : line;
}

function redirectOf(location: string | undefined): Refusal['redirect'] {
  const url = location === undefined ? null : URL.parse(location);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return { host: url.host, tls: url.protocol === 'https:' };
}

/** `AccessDenied: Access Denied`; `HTTP 403` where the store has no words of its own. */
export function saidIn({ status, code, message, isHtml }: Refusal): string {
  if (code !== '') return message === '' ? code : `${code}: ${message}`;
  if (isHtml) return `HTTP ${status} with a web page`;
  return message === '' ? `HTTP ${status}` : `HTTP ${status}: ${message}`;
}
