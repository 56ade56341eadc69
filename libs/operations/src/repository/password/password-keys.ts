import { repositoryCredentials, type Secret } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** The key of the password that all repositories will have at the end of a change; it exists only during a change. */
export const nextPasswordKey = `${repositoryCredentials.key}-next`;

/** The key of a former password. It is kept because a repository that is in no list may still open with it. */
export const passwordKeyBefore = (atMs: number): string =>
  `${repositoryCredentials.key}-before-${new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '')}`;

/** The passwords in the Secret. Holds secrets: never log it. */
export interface KnownPasswords {
  /** The password that all components use to open repositories. */
  current: string;
  /** Set during a change. */
  next: string | undefined;
}

/** @throws AppError PASSWORD_SECRET when the Secret has no password, is immutable, or has an owner that would overwrite it */
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
      nextStep: 'Replace it by a Secret with the same values that is not immutable, then start again.',
    });
  const [owner] = ownerReferences;
  if (owner !== undefined)
    throw new AppError(
      'PASSWORD_SECRET',
      `${where} belongs to ${owner.kind} ${owner.name}, which would write the old password again`,
      { nextStep: `Stop ${owner.kind} ${owner.name} from managing the Secret during the change.` },
    );
  return { current, next: passwordUnder(secret, nextPasswordKey) };
}

/** The Secret with `next` as the target of the change. */
export const withNext = (secret: Secret, next: string): Secret => withData(secret, { [nextPasswordKey]: encode(next) });

/** The Secret with the change reversed: the next password becomes the current one and the current one the next. */
export function turnedRound(secret: Secret): Secret {
  const { [repositoryCredentials.key]: current = '', [nextPasswordKey]: next = '' } = secret.data ?? {};
  return withData(secret, { [repositoryCredentials.key]: next, [nextPasswordKey]: current });
}

/** The Secret after the change: the next password is the current one, and the former one is kept under its own key. */
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

/** The password as components read it: without surrounding white space (data-movement.md section 9). */
function passwordUnder({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8').trim();
}
