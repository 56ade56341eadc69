import { Readable } from 'node:stream';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { Agent, type Dispatcher, request } from 'undici';
import { encodeUrlPart, endpointOf, type GcsLimits, type GcsStoreConfig } from './gcs-config.ts';
import { refusedError, unreachableError, wordsOf } from './gcs-error.ts';
import { tokenSource } from './gcs-token.ts';

export interface GcsRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** After the endpoint, encoded: `/storage/v1/b/bucket/o`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** `object "k"`, "" for the bucket; for messages. */
  subject: string;
  body?: Uint8Array | AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
}

/** Sends requests of the JSON API with an access token. */
export interface GcsClient {
  config: GcsStoreConfig;
  limits: GcsLimits;
  /** `/storage/v1/b/<bucket>/o`, with an object's name or without. */
  objectPath(key?: string): string;
  /** The body of a 2xx answer, to be read or dumped. @throws as the ObjectStore port says */
  open(request: GcsRequest): Promise<Dispatcher.ResponseData['body']>;
  /** The whole body of a 2xx answer. */
  send(request: GcsRequest, bytesMax?: number): Promise<Buffer>;
  /** POSTs JSON to another service of Google. */
  ask(url: string, body: object, signal: AbortSignal | undefined): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export function gcsClient(config: GcsStoreConfig, limits: GcsLimits, clock: Clock): GcsClient {
  const agent = new Agent({
    // A transfer that is broken off ends its connection and nothing else; over HTTP/2 others wait behind it.
    allowH2: false,
    connections: limits.connectionsMax,
    connect: { timeout: limits.connectMs, ...(config.caPem === undefined ? {} : { ca: config.caPem }) },
    headersTimeout: limits.answerMs,
    bodyTimeout: limits.answerMs,
  });
  const tokens = tokenSource(config.credentials, clock);
  let closed: Promise<void> | undefined;
  const dispatch = async (url: string, wanted: Omit<GcsRequest, 'path'>, type: string) => {
    const { method, body, signal } = wanted;
    signal?.throwIfAborted();
    const token = await unlessAborted(tokens.token(), signal);
    try {
      return await request(url, {
        method,
        dispatcher: agent,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) },
        ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : Readable.from(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachableError(cause, config);
    }
  };
  const client: GcsClient = {
    config,
    limits,
    objectPath: (key) =>
      `/storage/v1/b/${encodeUrlPart(config.bucket)}/o${key === undefined ? '' : `/${encodeUrlPart(key)}`}`,
    open: async (wanted) => {
      const url = `${endpointOf(config)}${wanted.path}${queryText(wanted.query)}`;
      const answer = await dispatch(url, wanted, 'application/octet-stream');
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer.body;
      const words = wordsOf((await readAll(client, answer.body, wanted, limits.answerBytesMax)).toString('utf8'));
      throw await refusal(client, answer.statusCode, words, wanted);
    },
    send: async (wanted, bytesMax = limits.answerBytesMax) =>
      readAll(client, await client.open(wanted), wanted, bytesMax),
    ask: async (url, body, signal) => {
      const wanted = { method: 'POST', subject: '', body: Buffer.from(JSON.stringify(body)), signal } as const;
      const answer = await dispatch(url, wanted, 'application/json');
      const text = (await readAll(client, answer.body, wanted, limits.answerBytesMax)).toString('utf8');
      if (answer.statusCode === 200) return JSON.parse(text);
      throw refusedError(answer.statusCode, wordsOf(text), `a request to ${new URL(url).host}`, config);
    },
    close: () => {
      closed ??= agent.close();
      return closed;
    },
  };
  return client;
}

/** A 404 for an object does not always tell whether the bucket is there; a listing does. */
async function refusal(client: GcsClient, status: number, words: string, wanted: GcsRequest): Promise<AppError> {
  const { subject, signal } = wanted;
  if (status !== 404 || subject === '') return refusedError(status, words, subject, client.config);
  if (/bucket does not exist/i.test(words)) return refusedError(status, words, '', client.config);
  if (!/no such object/i.test(words)) {
    await client.send({ method: 'GET', path: client.objectPath(), query: { maxResults: '1' }, subject: '', signal });
  }
  return refusedError(status, words, subject, client.config);
}

async function readAll(
  { config }: GcsClient,
  body: AsyncIterable<Buffer>,
  { subject, signal }: Pick<GcsRequest, 'subject' | 'signal'>,
  bytesMax: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw unreachableError(cause, config);
  }
  if (bytes <= bytesMax) return Buffer.concat(chunks);
  throw new AppError(
    'OBJECT_STORE_BAD_ANSWER',
    `${subject || 'an answer'} is larger than the ${bytesMax} bytes that are read`,
  );
}

function queryText(query: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeUrlPart(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Google's library takes no signal: whoever aborts is free at once, the token is kept for the next call. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // It may fail later, when nobody listens any more.
    work.catch(() => {});
  }
}
