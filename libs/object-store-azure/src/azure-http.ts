import type { LookupFunction } from 'node:net';
import type { HttpHeaders, IHttpClient, WebResource } from '@azure/storage-blob';
import type { Clock } from '@lateen/kernel';
import {
  beginningOf,
  endsEarly,
  nestsDeeper,
  notWhatWasAsked,
  oneHeader,
  type ProxyFor,
  refusalOf,
  sentSecrets,
  textOf,
  textsOf,
  tooLarge,
} from '@lateen/object-store';
import { proxiedAgent } from '@lateen/object-store/proxied-agent';
import { type Dispatcher, request } from 'undici';
import type { AzureLimits, AzureStoreConfig } from './azure-config.ts';
import { AzureRefusal, storePlaceOf } from './azure-error.ts';

/** Azure's own answers are 6 deep. */
const nestingMax = 32;

/** What is needed to reach Azure. */
export interface Reaching {
  clock: Clock;
  /** How host names become addresses; the system's way when undefined. Behind a proxy it is the proxy's. */
  lookup: LookupFunction | undefined;
  /** By which proxies Azure is reached; none when undefined. */
  proxyFor: ProxyFor | undefined;
}

export interface AzureHttp {
  /** For the SDK. */
  client: IHttpClient;
  close(): Promise<void>;
}

/**
 * How the SDK's requests are sent: over one connection pool, with the limits that the other stores have too. The SDK's own
 * way reads answers of any size into memory, unpacks them, follows redirects, and knows no other authorities.
 * Rejects with {@link AzureRefusal} for every answer outside 2xx, OBJECT_STORE_BAD_ANSWER for what is none of Azure's.
 */
export function azureHttp(
  config: AzureStoreConfig,
  limits: AzureLimits,
  { clock, lookup, proxyFor }: Reaching,
): AzureHttp {
  const connection = {
    connections: limits.connectionsMax,
    maxHeaderSize: limits.headerBytesMax,
    connect: {
      timeout: limits.connectMs,
      ...(lookup === undefined ? {} : { lookup }),
      ...(config.caPem === undefined ? {} : { ca: config.caPem }),
    },
    headersTimeout: limits.answerMs,
    bodyTimeout: limits.answerMs,
  };
  const agent = proxiedAgent(connection, proxyFor);
  let closing: Promise<void> | undefined;
  return {
    client: {
      sendRequest: async (wanted) => {
        const answer = await send(agent, wanted);
        const { statusCode: status } = answer;
        if (status < 200 || status >= 300) throw await refusal(answer, wanted, { limits, clock });
        const headers = headersOf(answer, wanted);
        if (wanted.streamResponseStatusCodes?.has(status)) {
          return { status, headers, request: wanted, readableStreamBody: answer.body };
        }
        const bodyAsText = await textIn(answer, wanted, { config, limits });
        // The body was checked; some gateways remove the content type.
        if (bodyAsText !== '') headers.set('content-type', 'application/xml');
        return { status, headers, request: wanted, bodyAsText };
      },
    },
    close: () => {
      closing ??= agent.close();
      return closing;
    },
  };
}

async function send(agent: Dispatcher, wanted: WebResource): Promise<Dispatcher.ResponseData> {
  const { url, method, body, abortSignal } = wanted;
  const headers = wanted.headers.toJson({ preserveCase: true });
  // undici counts the bytes itself.
  const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
  const bytes = typeof body === 'function' ? body() : body;
  return request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: Object.fromEntries(sent),
    dispatcher: agent,
    ...(bytes === undefined || bytes === null ? {} : { body: bytes }),
    // What the SDK hands on is the signal of the call.
    ...(abortSignal === undefined ? {} : { signal: abortSignal as AbortSignal }),
  });
}

async function refusal(
  answer: Dispatcher.ResponseData,
  wanted: WebResource,
  { limits, clock }: { limits: AzureLimits; clock: Clock },
): Promise<AzureRefusal> {
  const { bytes } = await beginningOf(answer.body, limits.errorBytesMax);
  const text = decoded(bytes);
  const header = (name: string) => oneHeader(answer.headers[name]);
  const sent = { nowMs: clock.now(), secrets: sentSecrets(wanted.headers.toJson()) };
  const said = refusalOf(
    { status: answer.statusCode, header, text },
    // The message goes on with request id and time in lines of their own. A HEAD has no body, and the code is a header.
    (xml) => ({
      code: header('x-ms-error-code') ?? textOf(xml, 'Code'),
      message: textOf(xml, 'Message').split('\n', 1)[0] ?? '',
    }),
    sent,
  );
  return new AzureRefusal({ ...said, detail: textOf(text, 'AuthenticationErrorDetail') || said.message });
}

/** The whole text of an answer that Azure gives in XML, if any. What the SDK's parser is not fit for is refused here. */
async function textIn(
  answer: Dispatcher.ResponseData,
  wanted: WebResource,
  { config, limits }: { config: AzureStoreConfig; limits: AzureLimits },
): Promise<string> {
  const place = storePlaceOf(config);
  const { bytes, cut } = await beginningOf(answer.body, limits.listingBytesMax);
  if (cut) throw tooLarge(place, 'a listing', limits.listingBytesMax);
  const text = decoded(bytes);
  const isListing = new URL(wanted.url).searchParams.get('comp') === 'list';
  if (text.trim() === '' && !isListing) return text;
  const isXml = /^\s*</.test(text) && !/<!DOCTYPE/i.test(text) && !nestsDeeper(text, 'xml', nestingMax);
  if (!isXml || (isListing && !isPage(text))) {
    const contentType = oneHeader(answer.headers['content-type']);
    throw notWhatWasAsked(place, isListing ? 'listing' : 'key', { text, contentType });
  }
  if (isListing && !/<\/EnumerationResults>\s*$/.test(text.slice(-1_000))) throw endsEarly(place, 'a listing');
  return text;
}

/** What the SDK takes for granted. */
const isPage = (text: string): boolean =>
  /<EnumerationResults[\s>]/.test(text.slice(0, 4_000)) &&
  textsOf(text, 'BlobPrefix').every((prefix) => prefix.includes('<Name'));

/** Without the mark of byte order, which Azure sends. */
const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function headersOf({ headers }: Dispatcher.ResponseData, wanted: WebResource): HttpHeaders {
  // The only way to one of the SDK's own collections.
  const all = wanted.headers.clone();
  for (const name of all.headerNames()) all.remove(name);
  for (const name of Object.keys(headers)) all.set(name, oneHeader(headers[name]) ?? '');
  return all;
}
