import { Option } from 'commander';
import { durationMs, wholeNumber } from './flag-values.ts';

/** As text, because it goes into objects unchanged. Zero means the default, as in Velero. */
export function durationFlag(flag: string, what: string, usually: string): Option {
  const parse = (text: string): string => (durationMs(flag, text, usually) === 0 ? usually : text);
  return new Option(`${flag} <duration>`, what).argParser(parse).default(usually);
}

export function numberFlag(flag: string, what: string, usually: number, min: number, max: number): Option {
  const parse = (text: string): number => wholeNumber(flag, text, { min, max });
  return new Option(`${flag} <number>`, what).argParser(parse).default(usually);
}
