import { repositoryCredentials, type Secret } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** While a change is under way: the password that all repositories shall have at its end. */
export const nextPasswordKey = `${repositoryCredentials.key}-next`;

/** Passwords that were in use once are kept: a repository that is in no list may still open with one. */
export const passwordKeyBefore = (atMs: number): string =>
  `${repositoryCredentials.key}-before-${new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '')}`;

/** The passwords in the Secret. Holds secrets: never log it. */
export interface KnownPasswords {
  /** What everybody opens repositories with. */
  current: string;
  /** Set while a change is under way. */
  next: string | undefined;
}

/** @throws AppError PASSWORD_SECRET when the Secret has no password, or may not be written */
export function knownPasswords(secret: Secret): KnownPasswords {
  const { name, namespace, ownerReferences = [] } = secret.metadata;
  const where = `Secret ${namespace}/${name}`;
  const current = passwordUnder(secret, repositoryCredentials.key);
  if (current === undefined || current === '')
    throw new AppError('PASSWORD_SECRET', `${where} has no ${repositoryCredentials.key}`, {
      nextStep: 'Put the password there with which the repositories open now.',
    });
  if (secret.immutable === true)
    throw new AppError('PASSWORD_SECRET', `${where} is immutable`, {
      nextStep: 'Replace it by one with the same values that is not, then start again.',
    });
  const [owner] = ownerReferences;
  if (owner !== undefined)
    throw new AppError(
      'PASSWORD_SECRET',
      `${where} belongs to ${owner.kind} ${owner.name}, which would write the old password again`,
      { nextStep: `Take the Secret away from ${owner.kind} ${owner.name} for the time of the change.` },
    );
  return { current, next: passwordUnder(secret, nextPasswordKey) };
}

/** The Secret as it is once `next` is where the change shall lead. */
export const withNext = (secret: Secret, next: string): Secret => withData(secret, { [nextPasswordKey]: encode(next) });

/** The same change, led the other way: what was to come is in use, what was in use is to come. */
export function turnedRound(secret: Secret): Secret {
  const { [repositoryCredentials.key]: current = '', [nextPasswordKey]: next = '' } = secret.data ?? {};
  return withData(secret, { [repositoryCredentials.key]: next, [nextPasswordKey]: current });
}

/** The change is over: what was to come is in use, what was in use is kept under a name of its own. */
export function withChangeDone(secret: Secret, atMs: number): Secret {
  const { [nextPasswordKey]: next = '', ...rest } = secret.data ?? {};
  const { [repositoryCredentials.key]: before = '' } = rest;
  return { ...secret, data: { ...rest, [repositoryCredentials.key]: next, [passwordKeyBefore(atMs)]: before } };
}

const withData = (secret: Secret, data: Record<string, string>): Secret => ({
  ...secret,
  data: { ...secret.data, ...data },
});

const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** As whoever opens a repository reads it: without white space around it (data-movement.md section 9). */
function passwordUnder({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8').trim();
}
