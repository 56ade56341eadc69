import type { Clock } from '@lateen/kernel';
import type { S3Refusal } from './s3-error.ts';
import { textOf } from './xml-text.ts';

/** What an answer outside 2xx says, from its headers and the beginning of its body. */
export function readRefusal(
  answer: { statusCode: number; headers: Readonly<Record<string, string | string[] | undefined>> },
  body: Uint8Array,
  clock: Clock,
): S3Refusal {
  const text = new TextDecoder().decode(body);
  const isHtml = text.trim() !== '' && (/^\s*(<!doctype html|<html)/i.test(text) || isHtmlType(answer.headers));
  // Some stores name the region only in the body (Amazon S3 API reference, AuthorizationHeaderMalformed).
  const bucketRegion = oneOf(answer.headers['x-amz-bucket-region']) || (isHtml ? '' : textOf(text, 'Region'));
  const dateMs = Date.parse(oneOf(answer.headers.date) ?? '');
  return {
    status: answer.statusCode,
    code: isHtml ? '' : textOf(text, 'Code'),
    message: isHtml ? '' : textOf(text, 'Message'),
    bucketRegion: bucketRegion === '' ? undefined : bucketRegion,
    isHtml,
    redirectHost: hostOf(oneOf(answer.headers.location)),
    clockSkewMs: Number.isNaN(dateMs) ? undefined : dateMs - clock.now(),
  };
}

/** Of an answer with a body; without one (HEAD) the type says nothing. */
const isHtmlType = (headers: Readonly<Record<string, string | string[] | undefined>>): boolean =>
  /html/.test(oneOf(headers['content-type']) ?? '');

export const oneOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];

const hostOf = (location: string | undefined): string | undefined =>
  location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
