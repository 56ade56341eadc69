import { Readable } from 'node:stream';
import type { AppError } from '@lateen/errors';
import { type Clock, orAborted } from '@lateen/kernel';
import {
  type Beginning,
  type ByteRange,
  beginningOf,
  jsonObjectIn,
  notWhatWasAsked,
  oneHeader,
  type ProxyFor,
  type Refusal,
  rangeHeader,
  refusalOf,
  refusedError,
  tokenPlace,
  tooLarge,
} from '@lateen/object-store';
import { proxiedAgent } from '@lateen/object-store/proxied-agent';
import { type Dispatcher, request } from 'undici';
import { encodeUrlPart, endpointOf, type GcsLimits, type GcsStoreConfig } from './gcs-config.ts';
import { gcsRefusedError, gcsUnreachableError, storePlaceOf, wordsIn } from './gcs-error.ts';
import { tokenSource } from './gcs-token.ts';

export interface GcsRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** After the endpoint, encoded: `/storage/v1/b/bucket/o`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** `object "k"`, "" for the bucket; for messages. */
  subject: string;
  body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Only these bytes of the object. */
  range?: ByteRange | undefined;
  signal?: AbortSignal | undefined;
}

/** Sends requests of the JSON API with an access token. */
export interface GcsClient {
  config: GcsStoreConfig;
  limits: GcsLimits;
  /** `/storage/v1/b/<bucket>/o`, with an object's name or without. */
  objectPath(key?: string): string;
  /** A 2xx answer, whose body is to be read or dumped. @throws as the ObjectStore port says */
  open(request: GcsRequest): Promise<Dispatcher.ResponseData>;
  /** The whole body of a 2xx answer. */
  send(request: GcsRequest, bytesMax?: number): Promise<Buffer>;
  /** POSTs JSON to another service of Google. */
  ask(url: string, body: object, signal: AbortSignal | undefined): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export function gcsClient(
  config: GcsStoreConfig,
  limits: GcsLimits,
  { clock, proxyFor }: { clock: Clock; proxyFor: ProxyFor | undefined },
): GcsClient {
  const agent = agentOf(config, limits, proxyFor);
  const tokens = tokenSource(config.credentials, { clock, proxyFor });
  let closed: Promise<void> | undefined;
  const dispatch = async (url: string, wanted: Omit<GcsRequest, 'path'>, type: string) => {
    const { method, body, signal } = wanted;
    signal?.throwIfAborted();
    // Google's library takes no signal: an aborted caller continues at once, and the token is kept for the next call.
    const token = await orAborted(tokens.token(), signal);
    try {
      const answer = await request(url, {
        method,
        dispatcher: agent,
        headers: headersOf(wanted, { token, type }),
        ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : Readable.from(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      // Taken back, or from another time than Google's: the next call asks for another one.
      if (answer.statusCode === 401) tokens.forget();
      return { answer, token };
    } catch (cause) {
      signal?.throwIfAborted();
      throw gcsUnreachableError(cause, config);
    }
  };
  const refused = async (answer: Dispatcher.ResponseData, token: string, wanted: Pick<GcsRequest, 'signal'>) => {
    const { bytes } = await beginning(client, answer.body, wanted, limits.errorBytesMax);
    const header = (name: string) => oneHeader(answer.headers[name]);
    const known = { nowMs: clock.now(), secrets: [token] };
    return refusalOf({ status: answer.statusCode, header, text: bytes.toString('utf8') }, wordsIn, known);
  };
  const client: GcsClient = {
    config,
    limits,
    objectPath: (key) =>
      `/storage/v1/b/${encodeUrlPart(config.bucket)}/o${key === undefined ? '' : `/${encodeUrlPart(key)}`}`,
    open: async (wanted) => {
      const url = `${endpointOf(config)}${wanted.path}${queryText(wanted.query)}`;
      const { answer, token } = await dispatch(url, wanted, 'application/octet-stream');
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      throw await refusalError(client, await refused(answer, token, wanted), wanted);
    },
    send: async (wanted, bytesMax = limits.answerBytesMax) => {
      const { bytes, cut } = await beginning(client, (await client.open(wanted)).body, wanted, bytesMax);
      if (cut) throw tooLarge(storePlaceOf(config), wanted.subject || 'a listing', bytesMax);
      return bytes;
    },
    ask: async (url, body, signal) => {
      const wanted = { method: 'POST', subject: '', body: Buffer.from(JSON.stringify(body)), signal } as const;
      const { answer, token } = await dispatch(url, wanted, 'application/json');
      const place = tokenPlace({ url, service: 'Google', setting: '' });
      if (answer.statusCode !== 200) {
        throw refusedError(await refused(answer, token, wanted), { subject: '', place, words: signWords });
      }
      const { bytes } = await beginning(client, answer.body, wanted, limits.errorBytesMax);
      const said = jsonObjectIn(bytes.toString('utf8'));
      if (said === undefined) throw notWhatWasAsked(place, 'signature', { text: bytes.toString('utf8') });
      return said;
    },
    close: () => {
      closed ??= agent.close();
      return closed;
    },
  };
  return client;
}

const headersOf = (
  { body, range }: Pick<GcsRequest, 'body' | 'range'>,
  { token, type }: { token: string; type: string },
): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(body === undefined ? {} : { 'content-type': type }),
  ...(range === undefined ? {} : { range: rangeHeader(range) }),
});

const signWords = {
  nextStep: 'Give the account of the pods the role "Service Account Token Creator" on the account that signs.',
};

function agentOf({ caPem }: GcsStoreConfig, limits: GcsLimits, proxyFor: ProxyFor | undefined): Dispatcher {
  const connection = {
    connections: limits.connectionsMax,
    maxHeaderSize: limits.headerBytesMax,
    connect: { timeout: limits.connectMs, ...(caPem === undefined ? {} : { ca: caPem }) },
    headersTimeout: limits.answerMs,
    bodyTimeout: limits.answerMs,
  };
  return proxiedAgent(connection, proxyFor);
}

/** A 404 for an object does not always tell whether the bucket is there; a listing does. */
async function refusalError(client: GcsClient, refusal: Refusal, wanted: GcsRequest): Promise<AppError> {
  const { subject, signal } = wanted;
  const { status, message } = refusal;
  if (status !== 404 || subject === '') return gcsRefusedError(refusal, subject, client.config);
  if (/bucket does not exist/i.test(message)) return gcsRefusedError(refusal, '', client.config);
  if (!/no such object/i.test(message)) {
    await client.send({ method: 'GET', path: client.objectPath(), query: { maxResults: '1' }, subject: '', signal });
  }
  return gcsRefusedError(refusal, subject, client.config);
}

async function beginning(
  { config }: GcsClient,
  body: AsyncIterable<Uint8Array>,
  { signal }: Pick<GcsRequest, 'signal'>,
  bytesMax: number,
): Promise<Beginning> {
  try {
    return await beginningOf(body, bytesMax);
  } catch (cause) {
    signal?.throwIfAborted();
    throw gcsUnreachableError(cause, config);
  }
}

function queryText(query: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeUrlPart(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
