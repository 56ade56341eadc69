import type { Clock } from '@lateen/kernel';
import { isHostLabel, oneHeader, refusalOf, textOf } from '@lateen/object-store';
import type { S3Refusal } from './s3-error.ts';

/**
 * What an answer outside 2xx says, from its headers and the beginning of its body.
 * @param secrets what was sent and must not be repeated
 */
export function readRefusal(
  answer: { statusCode: number; headers: Readonly<Record<string, string | string[] | undefined>> },
  body: Uint8Array,
  { clock, secrets }: { clock: Clock; secrets: readonly string[] },
): S3Refusal {
  const text = new TextDecoder().decode(body);
  const header = (name: string) => oneHeader(answer.headers[name]);
  const wordsOf = (xml: string) => ({ code: textOf(xml, 'Code'), message: textOf(xml, 'Message') });
  const refusal = refusalOf({ status: answer.statusCode, header, text }, wordsOf, { nowMs: clock.now(), secrets });
  // Some stores name the region only in the body (Amazon S3 API reference, AuthorizationHeaderMalformed).
  const named = header('x-amz-bucket-region') || (refusal.isHtml ? '' : textOf(text, 'Region'));
  return { ...refusal, bucketRegion: isHostLabel(named) ? named : undefined };
}
