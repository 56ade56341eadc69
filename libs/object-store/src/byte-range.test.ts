import { describe, expect, it } from 'vitest';
import { bytesOfRange, type RangeAnswer, rangeHeader } from './byte-range.ts';
import type { StorePlace } from './failures/store-place.ts';

const place: StorePlace = {
  kind: 'bucket',
  name: 'b',
  host: 's3.test',
  tls: true,
  service: 'an S3 service',
  setting: 'config.s3Url',
  hostSetting: '',
};
const range = { offset: 10, length: 5 };

/** A response whose body has `bytes` bytes, in chunks of two. */
function read(status: number, headers: Record<string, string>, bytes: number) {
  let given = 0;
  let left = false;
  const body = (async function* () {
    try {
      for (let at = 0; at < bytes; at += 2) yield new Uint8Array(Math.min(2, bytes - at));
    } finally {
      left = true;
    }
  })();
  const answer: RangeAnswer = { status, header: (name) => headers[name] };
  const reading = (async () => {
    for await (const piece of bytesOfRange(body, answer, range, { subject: 'object "k"', place }))
      given += piece.length;
  })();
  return { reading, given: () => given, left: () => left };
}

const partial = (text: string) => ({ 'content-range': text });

it('rangeHeader includes both ends', () => expect(rangeHeader(range)).toBe('bytes=10-14'));

describe('bytesOfRange', () => {
  it.each<[string, number, Record<string, string>]>([
    ['the requested part', 206, partial('bytes 10-14/100')],
    ['the last part of the object', 206, partial('bytes 10-14/15')],
    ['a part of an object of unknown size', 206, partial(' bytes 10-14/* ')],
  ])('gives %s', async (_, status, headers) => {
    const { reading, given } = read(status, headers, 5);
    await reading;
    expect(given()).toBe(5);
  });

  it.each<[string, number, Record<string, string>, string]>([
    ['the whole object', 200, { 'content-length': '100' }, 'with the whole object'],
    ['a whole object without a length', 200, {}, 'with the whole object'],
    ['a part that starts earlier', 206, partial('bytes 9-13/100'), 'with 5 bytes from 9 on instead of 5 from 10 on'],
    ['a shorter part', 206, partial('bytes 10-13/100'), 'with 4 bytes from 10 on instead of 5 from 10 on'],
    ['a longer part', 206, partial('bytes 10-15/100'), 'with 6 bytes from 10 on instead of 5 from 10 on'],
    ['a part without a Content-Range', 206, {}, 'with a part that it does not name'],
    [
      'a part with an invalid Content-Range',
      206,
      partial('bytes ten-fifteen/100'),
      'with a part that it does not name',
    ],
    ['several parts', 206, { 'content-type': 'multipart/byteranges' }, 'with a part that it does not name'],
  ])('rejects %s before it returns a byte, and cancels the body', async (_, status, headers, says) => {
    const { reading, given, left } = read(status, headers, 100);
    await expect(reading).rejects.toMatchObject({
      code: 'OBJECT_STORE_BAD_ANSWER',
      retry: 'later',
      message: `bucket "b" at s3.test answers a request for a part of object "k" ${says}`,
      nextStep: 'Check that config.s3Url is the address of an S3 service, not of its web page or of a proxy.',
    });
    expect([given(), left()]).toEqual([0, true]);
  });

  it.each<[string, number, Record<string, string>]>([
    ['only the existing bytes', 206, partial('bytes 10-12/13')],
    ['the whole object, which is shorter', 200, { 'content-length': '13' }],
  ])('reports that the object is too short when it gets %s', async (_, status, headers) => {
    const { reading, given } = read(status, headers, 3);
    await expect(reading).rejects.toMatchObject({
      code: 'OBJECT_TOO_SHORT',
      retry: 'never',
      message: 'object "k" in bucket "b" at s3.test ends before the part that was asked for',
    });
    expect(given()).toBe(0);
  });

  it('cuts the requested part out of a whole object', async () => {
    const body = (async function* () {
      yield new Uint8Array(5);
    })();
    const answer: RangeAnswer = { status: 200, header: (name) => (name === 'content-length' ? '5' : undefined) };
    const whole = { offset: 0, length: 5 };
    expect(await Array.fromAsync(bytesOfRange(body, answer, whole, { subject: 'object "k"', place }))).toHaveLength(1);
  });

  it('reports a body that ends early, which can be retried, and one that is too long', async () => {
    const early = read(206, partial('bytes 10-14/100'), 3);
    await expect(early.reading).rejects.toMatchObject({ code: 'OBJECT_STORE_BAD_ANSWER', retry: 'soon' });
    const late = read(206, partial('bytes 10-14/100'), 9);
    await expect(late.reading).rejects.toMatchObject({
      code: 'OBJECT_STORE_BAD_ANSWER',
      message: expect.stringContaining('with more than the 5 bytes that were asked for'),
    });
    expect(late.given()).toBeLessThanOrEqual(5);
  });
});
