import { AppError, isAppError, type RetryFate } from '@lateen/errors';

interface Known {
  code: string;
  says: string;
  retry: RetryFate;
  nextStep?: string;
}

const full: Known = {
  code: 'OBJECT_STORE_UNAVAILABLE',
  says: 'has no room left',
  retry: 'later',
  nextStep: 'Make room in the file system, or raise its quota.',
};
const forbidden: Known = {
  code: 'OBJECT_STORE_FORBIDDEN',
  says: 'refuses access',
  retry: 'later',
  nextStep: 'Let the user that Lateen runs as own the directory, and mount it writable.',
};
const gone: Known = {
  code: 'OBJECT_STORE_UNAVAILABLE',
  says: 'does not answer properly',
  retry: 'soon',
  nextStep: 'Check the mount and the server behind it.',
};
const twofold: Known = {
  code: 'OBJECT_KEY_INVALID',
  says: 'has a file, a directory or a link in the way of that key',
  retry: 'never',
};

const known: Readonly<Record<string, Known>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: forbidden,
  EIO: gone,
  ESTALE: gone,
  ETIMEDOUT: gone,
  EHOSTDOWN: gone,
  ENOTCONN: gone,
  EMFILE: { code: 'OBJECT_STORE_UNAVAILABLE', says: 'has too many files open', retry: 'soon' },
  ENFILE: { code: 'OBJECT_STORE_UNAVAILABLE', says: 'has too many files open', retry: 'soon' },
  EISDIR: twofold,
  ENOTDIR: twofold,
  EEXIST: twofold,
  ENOTEMPTY: twofold,
  ELOOP: {
    code: 'OBJECT_STORE_FORBIDDEN',
    says: 'has a symbolic link in the way of a key, which is not followed',
    retry: 'later',
    nextStep: 'Replace the link by what it points to.',
  },
};

export const errnoOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** A directory as people know it. */
export interface NamedDirectory {
  /** Where it is, or what is mounted there. */
  readonly shown: string;
  /** What to do where it is not there. */
  readonly missing: string;
}

/** The error of the ObjectStore port for one of the file system. `subject` is what was done: `object "k"`. */
export function fsError(error: unknown, { shown, missing }: NamedDirectory, subject: string): unknown {
  if (error instanceof RootNotFound)
    return new AppError('BUCKET_NOT_FOUND', `directory ${shown} does not exist`, {
      retry: 'later',
      cause: error.cause,
      nextStep: missing,
    });
  if (isAppError(error)) return error;
  const fact = known[errnoOf(error)];
  // A defect of ours, an abort, or an error of the caller's source.
  if (fact === undefined) return error;
  return new AppError(fact.code, `${subject}: directory ${shown} ${fact.says} (${errnoOf(error)})`, {
    retry: fact.retry,
    cause: error,
    ...(fact.nextStep === undefined ? {} : { nextStep: fact.nextStep }),
  });
}

export const objectNotFound = (fspath: string, key: string): AppError =>
  new AppError('OBJECT_NOT_FOUND', `object "${key}" is not in directory ${fspath}`);

/** Named by {@link fsError}. */
export class RootNotFound extends Error {}
