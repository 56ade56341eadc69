import { AppError } from '@lateen/errors';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import { regionOf, type S3Limits, type S3StoreConfig, urlOf } from './s3-config.ts';
import { refusedError, unreachableError } from './s3-error.ts';
import { textOf } from './xml-text.ts';

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** "" for the bucket itself. */
  key: string;
  query?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  signal?: AbortSignal | undefined;
}

export interface S3Answer {
  body: Uint8Array;
  header(name: string): string | undefined;
}

/** Sends signed requests for one bucket. */
export interface S3Client {
  readonly config: S3StoreConfig;
  readonly limits: S3Limits;
  /** A 2xx answer, read whole. @throws as the ObjectStore port says */
  send(request: S3Request): Promise<S3Answer>;
  /** The body of a 2xx answer in pieces. @throws as the ObjectStore port says */
  stream(request: S3Request): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

export function s3Client(config: S3StoreConfig, limits: S3Limits): S3Client {
  const agent = new Agent({
    connections: limits.connectionsMax,
    connect: {
      timeout: limits.connectMs,
      rejectUnauthorized: config.verifyTls,
      ...(config.caPem === undefined ? {} : { ca: config.caPem }),
    },
    headersTimeout: limits.answerMs,
    bodyTimeout: limits.answerMs,
  });
  return {
    config,
    limits,
    send: async (wanted) => {
      const answer = await answerTo(config, limits, agent, wanted);
      const body = await readBody(answer, limits.objectBytesMax, config, wanted);
      return { body, header: (name) => oneOf(answer.headers[name]) };
    },
    stream: (wanted) => stream(config, limits, agent, wanted),
    close: () => agent.close(),
  };
}

async function* stream(
  config: S3StoreConfig,
  limits: S3Limits,
  agent: Agent,
  wanted: S3Request,
): AsyncGenerator<Uint8Array> {
  const answer = await answerTo(config, limits, agent, wanted);
  try {
    for await (const piece of answer.body as AsyncIterable<Buffer>) yield piece;
  } catch (cause) {
    wanted.signal?.throwIfAborted();
    throw unreachableError(cause, config);
  }
}

/** A 2xx answer whose body is not yet read. */
async function answerTo(
  config: S3StoreConfig,
  limits: S3Limits,
  agent: Agent,
  wanted: S3Request,
): Promise<Dispatcher.ResponseData> {
  wanted.signal?.throwIfAborted();
  const answer = await dispatch(config, agent, wanted);
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
  const xml = new TextDecoder().decode(await readBody(answer, limits.errorBytesMax, config, wanted));
  throw refusedError(
    {
      status: answer.statusCode,
      code: textOf(xml, 'Code'),
      message: textOf(xml, 'Message'),
      bucketRegion: oneOf(answer.headers['x-amz-bucket-region']),
    },
    wanted.key === '' ? '' : `object "${wanted.key}"`,
    config,
  );
}

const oneOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];

async function dispatch(config: S3StoreConfig, agent: Agent, wanted: S3Request): Promise<Dispatcher.ResponseData> {
  const { method, body, signal } = wanted;
  const signed = await new AwsV4Signer({
    ...config.credentials,
    method,
    url: urlOf(config, wanted.key, wanted.query),
    service: 's3',
    region: regionOf(config),
    ...(body === undefined ? {} : { body }),
  }).sign();
  try {
    return await request(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers),
      dispatcher: agent,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw unreachableError(cause, config);
  }
}

async function readBody(
  answer: Dispatcher.ResponseData,
  bytesMax: number,
  config: S3StoreConfig,
  wanted: S3Request,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    wanted.signal?.throwIfAborted();
    throw unreachableError(cause, config);
  }
  if (bytes <= bytesMax) return Buffer.concat(chunks);
  throw new AppError(
    'OBJECT_STORE_BAD_ANSWER',
    `object "${wanted.key}" is larger than the ${bytesMax} bytes that are read`,
  );
}
