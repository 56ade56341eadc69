import { AppError } from '@lateen/errors';
import { notTheService, placeText, type StorePlace } from './failures/store-place.ts';
import { endsEarly } from './failures/strange-answer.ts';

/** A part of an object: `length` bytes, at least one, from `offset` on. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** What an answer over HTTP says about the bytes in its body (RFC 9110, section 14). */
export interface RangeAnswer {
  status: number;
  header(name: 'content-range' | 'content-length'): string | undefined;
}

/** @throws RangeError for what is none: a defect of the caller */
export function checkByteRange({ offset, length }: ByteRange): void {
  if (Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length) && length > 0) return;
  throw new RangeError(`${length} bytes from ${offset} on are not a range`);
}

/** Value of the header `range`. */
export const rangeHeader = ({ offset, length }: ByteRange): string => `bytes=${offset}-${offset + length - 1}`;

/**
 * The body of an answer to a request for `range`, which is held to be these bytes and no others before the first is given
 * out: gateways exist that answer with the whole object. Leaves the body unread when they are not.
 * @throws OBJECT_TOO_SHORT when the object ends before the range; OBJECT_STORE_BAD_ANSWER for other bytes, fewer or more
 */
export async function* bytesOfRange(
  body: AsyncIterable<Uint8Array>,
  answer: RangeAnswer,
  range: ByteRange,
  { subject, place }: { subject: string; place: StorePlace },
): AsyncGenerator<Uint8Array> {
  let left = range.length;
  let checked = false;
  for await (const piece of body) {
    if (!checked) checkAnswer(answer, range, subject, place);
    checked = true;
    left -= piece.length;
    if (left < 0) throw otherBytes(subject, place, `more than the ${range.length} bytes that were asked for`);
    yield piece;
  }
  if (!checked) checkAnswer(answer, range, subject, place);
  if (left > 0) throw endsEarly(place, subject);
}

/** @param where `bucket "b" at h` */
export const tooShort = (subject: string, where: string): AppError =>
  new AppError('OBJECT_TOO_SHORT', `${subject} in ${where} ends before the part that was asked for`);

function checkAnswer(answer: RangeAnswer, range: ByteRange, subject: string, place: StorePlace): void {
  const held = heldRange(answer);
  if (held === undefined) throw otherBytes(subject, place, 'a part that it does not name');
  const isShort = held.size !== undefined && held.size < range.offset + range.length;
  if (isShort) throw tooShort(subject, placeText(place));
  if (held.offset === range.offset && held.length === range.length) return;
  const isWhole = answer.status !== 206;
  throw otherBytes(
    subject,
    place,
    isWhole ? 'the whole object' : `${held.length} bytes from ${held.offset} on instead of ${textOf(range)}`,
  );
}

/** The range of the body, and the size of the object; undefined when it is not known. */
function heldRange({ status, header }: RangeAnswer): (ByteRange & { size: number | undefined }) | undefined {
  if (status !== 206) {
    // Without a length, all that is known is that it is not what was asked for.
    const size = header('content-length') === undefined ? undefined : Number(header('content-length'));
    return { offset: 0, length: size ?? Number.POSITIVE_INFINITY, size };
  }
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header('content-range')?.trim() ?? '');
  if (match === null) return undefined;
  const [offset, last] = [Number(match[1]), Number(match[2])];
  return { offset, length: last - offset + 1, size: match[3] === '*' ? undefined : Number(match[3]) };
}

const textOf = ({ offset, length }: ByteRange): string => `${length} from ${offset} on`;

const otherBytes = (subject: string, place: StorePlace, what: string): AppError =>
  new AppError(
    'OBJECT_STORE_BAD_ANSWER',
    `${placeText(place)} answers a request for a part of ${subject} with ${what}`,
    {
      retry: 'later',
      nextStep: notTheService(place),
    },
  );
