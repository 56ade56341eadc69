import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import { bucketRegion } from './bucket-region.ts';
import type { S3Keys } from './credentials/credential-source.ts';
import { sourceOf } from './credentials/source-of.ts';
import { oneOf, readRefusal } from './read-refusal.ts';
import { type S3Limits, type S3Place, type S3StoreConfig, urlOf } from './s3-config.ts';
import { refusedError } from './s3-error.ts';
import { unreachableError } from './unreachable-error.ts';

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** "" for the bucket itself. */
  key: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  signal?: AbortSignal | undefined;
}

export interface S3Answer {
  body: Uint8Array;
  header(name: string): string | undefined;
}

/** What a signature is made with. */
export interface S3Signing {
  keys: S3Keys;
  region: string;
  place: S3Place;
}

/** Sends signed requests for one bucket. */
export interface S3Client {
  /** A 2xx answer, read whole. @throws as the ObjectStore port says */
  send(request: S3Request): Promise<S3Answer>;
  /** The body of a 2xx answer in pieces. @throws as the ObjectStore port says */
  stream(request: () => Promise<S3Request>): AsyncGenerator<Uint8Array>;
  /** Finds out the region first, if need be. */
  signing(signal?: AbortSignal): Promise<S3Signing>;
  close(): Promise<void>;
}

/** A request is sent again for a region that was learned from its refusal, and once more for one learned by others. */
const regionHopsMax = 2;

export function s3Client(config: S3StoreConfig, limits: S3Limits, clock: Clock): S3Client {
  const agent = new Agent({
    connections: limits.connectionsMax,
    maxHeaderSize: limits.headerBytesMax,
    connect: {
      timeout: limits.connectMs,
      rejectUnauthorized: config.verifyTls,
      ...(config.caPem === undefined ? {} : { ca: config.caPem }),
    },
    headersTimeout: limits.answerMs,
    bodyTimeout: limits.answerMs,
  });
  const source = sourceOf(config.credentials, config.region, clock);
  const where = bucketRegion(config);
  let closing: Promise<void> | undefined;

  /** A 2xx answer whose body is not yet read. */
  const answerTo = async (wanted: S3Request): Promise<Dispatcher.ResponseData> => {
    for (let hop = 0; ; hop++) {
      wanted.signal?.throwIfAborted();
      const { region, place } = where.current();
      const keys = await source.keys(wanted.signal);
      const answer = await dispatch(agent, wanted, { keys, region, place }, clock);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      const body = await beginningOf(answer, limits.errorBytesMax, place, wanted);
      const refusal = readRefusal(answer, body, clock);
      const isElsewhere =
        answer.statusCode < 400 || refusal.code === 'AuthorizationHeaderMalformed' || hasNoBody(wanted, answer);
      if (isElsewhere && hop < regionHopsMax && where.learn(refusal.bucketRegion, region)) continue;
      if (refusal.code === 'ExpiredToken') source.forget();
      throw refusedError(refusal, wanted.key === '' ? '' : `object "${wanted.key}"`, { ...place, region });
    }
  };
  const send = async (wanted: S3Request): Promise<S3Answer> => {
    const answer = await answerTo(wanted);
    where.confirm();
    const body = await beginningOf(answer, limits.objectBytesMax + 1, where.current().place, wanted);
    if (body.length > limits.objectBytesMax) throw tooLarge(wanted.key, limits.objectBytesMax);
    return { body, header: (name) => oneOf(answer.headers[name]) };
  };
  return {
    send,
    stream: async function* (wantedLater) {
      const wanted = await wantedLater();
      const answer = await answerTo(wanted);
      try {
        for await (const piece of answer.body as AsyncIterable<Buffer>) yield piece;
      } catch (cause) {
        wanted.signal?.throwIfAborted();
        throw unreachableError(cause, where.current().place);
      }
    },
    signing: async (signal) => {
      // A refusal names the region too, so only the answer counts and not whether we may.
      if (where.isUnknown) await send({ method: 'HEAD', key: '', signal }).catch(unlessForbidden);
      return { keys: await source.keys(signal), ...where.current() };
    },
    close: () => {
      closing ??= agent.close();
      return closing;
    },
  };
}

/** HEAD has no body to name the cause in: 400 with the region in a header is the wrong region. */
const hasNoBody = (wanted: S3Request, answer: Dispatcher.ResponseData): boolean =>
  wanted.method === 'HEAD' && answer.statusCode === 400;

function unlessForbidden(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'OBJECT_STORE_FORBIDDEN') throw error;
}

const tooLarge = (key: string, bytesMax: number): AppError =>
  new AppError('OBJECT_STORE_BAD_ANSWER', `object "${key}" is larger than the ${bytesMax} bytes that are read`);

async function dispatch(
  agent: Agent,
  wanted: S3Request,
  { keys, region, place }: S3Signing,
  clock: Clock,
): Promise<Dispatcher.ResponseData> {
  const { method, body, headers, signal } = wanted;
  const signed = await new AwsV4Signer({
    ...keys,
    method,
    url: urlOf(place, wanted.key, wanted.query),
    service: 's3',
    region,
    datetime: signedTime(clock),
    ...(headers === undefined ? {} : { headers }),
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
    throw unreachableError(cause, place);
  }
}

/** As signatures write it: 20300101T000000Z. */
export const signedTime = (clock: Clock): string => new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, '');

/** At most so many bytes of a body; the rest is not read. */
async function beginningOf(
  answer: Dispatcher.ResponseData,
  bytesMax: number,
  place: S3Place,
  wanted: S3Request,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= bytesMax) break;
    }
  } catch (cause) {
    wanted.signal?.throwIfAborted();
    throw unreachableError(cause, place);
  }
  return Buffer.concat(chunks).subarray(0, bytesMax);
}
