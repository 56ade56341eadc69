import { cronInvalid } from './cron-invalid.ts';

/** One of the five fields: what its numbers may be, and the names some of them have. */
export interface CronField {
  min: number;
  max: number;
  names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** In the order in which they are written. Sunday is 0 and never 7. */
export const cronFields: readonly CronField[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: weekdays },
];

/** What a field allows: `*`, or numbers in order. Of the two fields of days, `*` leaves the choice to the other one. */
export type AllowedValues = '*' | readonly number[];

/**
 * Reads one field by the rules of robfig/cron v3: lists, ranges, steps, names. A star with a step above 1 is a restriction.
 * @throws CRON_INVALID with the words of robfig
 */
export function parseCronField(text: string, field: CronField): AllowedValues {
  const parts = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => parsePart(part, field));
  if (parts.some((part) => part.isStar)) return '*';
  return [...new Set(parts.flatMap((part) => part.values))].sort((a, b) => a - b);
}

function parsePart(text: string, field: CronField): { values: number[]; isStar: boolean } {
  const [range = '', step, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreHyphens] = range.split('-');
  const isWhole = low === '*' || low === '?';
  if (!isWhole && moreHyphens.length > 0) throw cronInvalid(`too many hyphens: ${text}`);
  const start = isWhole ? field.min : numberOf(low, field);
  let end = isWhole ? field.max : high === undefined ? start : numberOf(high, field);
  if (moreSteps.length > 0) throw cronInvalid(`too many slashes: ${text}`);
  const every = step === undefined ? 1 : plainNumber(step);
  // `5/15` extends to the end of the field.
  if (step !== undefined && high === undefined) end = field.max;
  checkRange(text, { start, end, every }, field);
  const values: number[] = [];
  for (let value = start; value <= end; value += every) values.push(value);
  return { values, isStar: isWhole && every === 1 };
}

function checkRange(
  text: string,
  { start, end, every }: { start: number; end: number; every: number },
  { min, max }: CronField,
): void {
  if (start < min) throw cronInvalid(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw cronInvalid(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw cronInvalid(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (every === 0) throw cronInvalid(`step of range should be a positive number: ${text}`);
}

function numberOf(text: string, { min, names = [] }: CronField): number {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 ? named + min : plainNumber(text);
}

/** As Go's Atoi reads it, signs included. */
function plainNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw notANumber(text, 'invalid syntax');
  const number = Number(text);
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) throw notANumber(text, 'value out of range');
  if (number < 0) throw cronInvalid(`negative number (${number}) not allowed: ${text}`);
  return number;
}

const notANumber = (text: string, why: string) =>
  cronInvalid(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`);
