import { parseDurationMs } from '@lateen/kernel';
import { cronInvalid } from './cron-invalid.ts';

/**
 * The pause of `@every <Go duration>`: whole seconds, one at least. @throws CRON_INVALID with the words of robfig and of Go's
 * ParseDuration
 */
export function everyMs(text: string): number {
  const duration = text.slice('@every '.length);
  const ms = parseDurationMs(duration);
  if (ms === undefined) throw cronInvalid(`failed to parse duration ${text}: time: ${wrongIn(duration)}`);
  return Math.max(Math.floor(ms / 1_000), 1) * 1_000;
}

/** Go names what it stumbles over first: no number, a number without a unit, or a unit that does not exist. */
function wrongIn(duration: string): string {
  const quoted = JSON.stringify(duration);
  for (let rest = duration.replace(/^[+-]/, ''); rest !== ''; ) {
    const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) break;
    rest = rest.slice(number.length);
    const unit = /^[^\d.]+/.exec(rest)?.[0];
    if (unit === undefined) return `missing unit in duration ${quoted}`;
    if (!/^(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)$/.test(unit))
      return `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = rest.slice(unit.length);
  }
  return `invalid duration ${quoted}`;
}
