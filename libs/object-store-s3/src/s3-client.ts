import { AppError } from '@lateen/errors';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import { regionOf, type S3Limits, type S3StoreConfig, urlOf } from './s3-config.ts';
import { refusedError, unreachableError } from './s3-error.ts';
import { textOf } from './xml-text.ts';

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** "" for the bucket itself. */
  key: string;
  query?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  signal?: AbortSignal | undefined;
}

/** Sends signed requests for one bucket. */
export interface S3Client {
  /** The body of a 2xx answer. @throws as the ObjectStore port says */
  send(request: S3Request): Promise<Uint8Array>;
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
    send: (wanted) => send(config, limits, agent, wanted),
    close: () => agent.close(),
  };
}

async function send(config: S3StoreConfig, limits: S3Limits, agent: Agent, wanted: S3Request): Promise<Uint8Array> {
  wanted.signal?.throwIfAborted();
  const answer = await dispatch(config, agent, wanted);
  const ok = answer.statusCode >= 200 && answer.statusCode < 300;
  const body = await readBody(answer, ok ? limits.objectBytesMax : limits.errorBytesMax, config, wanted);
  if (ok) return body;
  const xml = new TextDecoder().decode(body);
  const region = answer.headers['x-amz-bucket-region'];
  throw refusedError(
    {
      status: answer.statusCode,
      code: textOf(xml, 'Code'),
      message: textOf(xml, 'Message'),
      bucketRegion: typeof region === 'string' ? region : undefined,
    },
    wanted.key === '' ? '' : `object "${wanted.key}"`,
    config,
  );
}

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
