import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import {
  type Beginning,
  type ByteRange,
  beginningOf,
  bytesOfRange,
  oneHeader,
  type ProxyFor,
  rangeHeader,
  sentSecrets,
  tooLarge,
  unreachableError,
} from '@lateen/object-store';
import { proxiedAgent } from '@lateen/object-store/proxied-agent';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';
import { bucketRegion } from './bucket-region.ts';
import type { S3Keys } from './credentials/credential-source.ts';
import { sourceOf } from './credentials/source-of.ts';
import { payloadHash } from './payload-hash.ts';
import { readRefusal } from './read-refusal.ts';
import { type S3Limits, type S3Place, type S3StoreConfig, urlOf } from './s3-config.ts';
import { s3RefusedError, storePlaceOf } from './s3-error.ts';

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
  /**
   * A 2xx answer, read whole.
   * @param bytesMax of its body; what an object may have when absent
   * @throws as the ObjectStore port says
   */
  send(request: S3Request, bytesMax?: number): Promise<S3Answer>;
  /** The body of a 2xx answer in pieces: of the whole object, or exactly this part. @throws as the ObjectStore port says */
  stream(request: () => Promise<S3Request>, range?: ByteRange): AsyncGenerator<Uint8Array>;
  /** Finds out the region first, if need be. */
  signing(signal?: AbortSignal): Promise<S3Signing>;
  close(): Promise<void>;
}

/** A request is sent again for a region that was learned from its refusal, and once more for one learned by others. */
const regionHopsMax = 2;

export function s3Client(
  config: S3StoreConfig,
  limits: S3Limits,
  { clock, proxyFor }: { clock: Clock; proxyFor: ProxyFor | undefined },
): S3Client {
  const agent = agentOf(config, limits, proxyFor);
  const source = sourceOf(config.credentials, config.region, { clock, proxyFor });
  const where = bucketRegion(config);
  let closing: Promise<void> | undefined;

  /** A 2xx answer whose body is not yet read. */
  const answerTo = async (wanted: S3Request): Promise<Dispatcher.ResponseData> => {
    for (let hop = 0; ; hop++) {
      wanted.signal?.throwIfAborted();
      const { region, place } = where.current();
      const keys = await source.keys(wanted.signal);
      const { answer, secrets } = await dispatch(
        agent,
        wanted,
        { keys, region, place, verifyTls: config.verifyTls },
        clock,
      );
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      const { bytes } = await read(answer, limits.errorBytesMax, place, wanted);
      const refusal = readRefusal(answer, bytes, { clock, secrets });
      const isElsewhere =
        answer.statusCode < 400 || refusal.code === 'AuthorizationHeaderMalformed' || hasNoBody(wanted, answer);
      if (isElsewhere && hop < regionHopsMax && where.learn(refusal.bucketRegion, region)) continue;
      if (refusal.code === 'ExpiredToken') source.forget();
      throw s3RefusedError(refusal, subjectOf(wanted), { ...place, region });
    }
  };
  const send = async (wanted: S3Request, bytesMax = limits.objectBytesMax): Promise<S3Answer> => {
    const answer = await answerTo(wanted);
    where.confirm();
    const { place } = where.current();
    const { bytes, cut } = await read(answer, bytesMax, place, wanted);
    if (cut) throw tooLarge(storePlaceOf(place), subjectOf(wanted) || 'a listing', bytesMax);
    return { body: bytes, header: (name) => oneHeader(answer.headers[name]) };
  };
  return {
    send,
    stream: async function* (wantedLater, range) {
      const object = await wantedLater();
      const wanted =
        range === undefined ? object : { ...object, headers: { ...object.headers, range: rangeHeader(range) } };
      const answer = await answerTo(wanted);
      const { place } = where.current();
      const body = bodyOf(answer, place, wanted);
      if (range === undefined) return yield* body;
      const header = (name: string) => oneHeader(answer.headers[name]);
      const subject = subjectOf(wanted);
      yield* bytesOfRange(body, { status: answer.statusCode, header }, range, { subject, place: storePlaceOf(place) });
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

const agentOf = ({ verifyTls, caPem }: S3StoreConfig, limits: S3Limits, proxyFor: ProxyFor | undefined): Dispatcher =>
  proxiedAgent(
    {
      connections: limits.connectionsMax,
      maxHeaderSize: limits.headerBytesMax,
      connect: {
        timeout: limits.connectMs,
        rejectUnauthorized: verifyTls,
        ...(caPem === undefined ? {} : { ca: caPem }),
      },
      headersTimeout: limits.answerMs,
      bodyTimeout: limits.answerMs,
    },
    proxyFor,
  );

/** HEAD has no body to name the cause in: 400 with the region in a header is the wrong region. */
const hasNoBody = (wanted: S3Request, answer: Dispatcher.ResponseData): boolean =>
  wanted.method === 'HEAD' && answer.statusCode === 400;

function unlessForbidden(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'OBJECT_STORE_FORBIDDEN') throw error;
}

const subjectOf = ({ key }: S3Request): string => (key === '' ? '' : `object "${key}"`);

const unreachable = (cause: unknown, place: S3Place): AppError => {
  const what = `object store ${place.tls ? 'https' : 'http'}://${place.endpoint}`;
  return unreachableError(cause, { what, ...storePlaceOf(place) });
};

async function dispatch(
  agent: Dispatcher,
  wanted: S3Request,
  { keys, region, place, verifyTls }: S3Signing & { verifyTls: boolean },
  clock: Clock,
): Promise<{ answer: Dispatcher.ResponseData; secrets: string[] }> {
  const { method, body, headers, signal } = wanted;
  const signed = await new AwsV4Signer({
    ...keys,
    method,
    url: urlOf(place, wanted.key, wanted.query),
    service: 's3',
    region,
    datetime: signedTime(clock),
    headers: { ...headers, 'x-amz-content-sha256': payloadHash(wanted, { tls: place.tls, verifyTls }) },
  }).sign();
  const sent = Object.fromEntries(signed.headers);
  try {
    const answer = await request(signed.url, {
      method,
      headers: sent,
      dispatcher: agent,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { answer, secrets: [keys.secretAccessKey, ...sentSecrets(sent)] };
  } catch (cause) {
    signal?.throwIfAborted();
    throw unreachable(cause, place);
  }
}

/** As signatures write it: 20300101T000000Z. */
export const signedTime = (clock: Clock): string => new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, '');

async function* bodyOf(answer: Dispatcher.ResponseData, place: S3Place, wanted: S3Request): AsyncGenerator<Uint8Array> {
  try {
    // Leaving the loop destroys the body, and with it the transfer.
    for await (const piece of answer.body as AsyncIterable<Buffer>) yield piece;
  } catch (cause) {
    wanted.signal?.throwIfAborted();
    throw unreachable(cause, place);
  }
}

/** The maximum number of bytes of a body that are read. */
async function read(
  answer: Dispatcher.ResponseData,
  bytesMax: number,
  place: S3Place,
  wanted: S3Request,
): Promise<Beginning> {
  try {
    return await beginningOf(answer.body, bytesMax);
  } catch (cause) {
    wanted.signal?.throwIfAborted();
    throw unreachable(cause, place);
  }
}
