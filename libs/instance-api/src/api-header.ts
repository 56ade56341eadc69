import { type HostApi, hostApi } from '@lateen/block-engine';

/** Carries the versions that a manager speaks with each of its calls: instance managers keep nothing about their callers. */
export const apiHeader = 'lateen-instance-api';

/** Headers of each call of a program that speaks these versions. */
export const apiHeaders = ({ min, max }: HostApi = hostApi): Record<string, string> => ({
  [apiHeader]: `${min}-${max}`,
});

/** Nothing for a text that is no range. */
export function parseApi(text: string | undefined): HostApi | undefined {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? '');
  if (match === null) return undefined;
  const [min, max] = [Number(match[1]), Number(match[2])];
  return min <= max ? { min, max } : undefined;
}
