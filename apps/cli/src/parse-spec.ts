import { isObjectName, type TypedLocalObjectReference } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { badFlag } from './refuse-flag.ts';

export const given = <T, R>(value: T | undefined, read: (value: T) => R): R | undefined =>
  value === undefined ? undefined : read(value);

/** The spec without undefined fields: a field that is not set has to be absent, not null. */
export function withoutAbsent<T extends object>(spec: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as T;
}

/** @throws AppError BAD_FLAG */
export function parseConfigMapReference(flag: string, name: string): TypedLocalObjectReference {
  if (!isObjectName(name)) throw badFlag(`${flag}: ${quoted(name)} is not the name of a ConfigMap`);
  return { kind: 'configmap', name };
}

/**
 * Undefined for 0, which leaves the number to the server, as in Velero. @throws AppError BAD_FLAG @param flag without its dashes
 */
export function parseFileCount(flag: string, text: string): number | undefined {
  if (/^-\d+$/.test(text)) throw badFlag(`${flag} cannot be negative`);
  const count = /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  if (count === undefined) throw badFlag(`--${flag} ${quoted(text)} is not a number of files`);
  return count === 0 ? undefined : count;
}

/**
 * Checks with the server's own rules and messages: an object that would end in FailedValidation is not created. @throws AppError
 * BAD_FLAG
 */
export function checkFilters(errors: readonly string[]): void {
  const [first] = errors;
  if (first !== undefined) throw badFlag(errors.length === 1 ? first : `[${errors.join(', ')}]`);
}
