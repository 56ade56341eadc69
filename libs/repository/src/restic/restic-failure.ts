import { repositoryPasswordWrong } from '@lateen/api-types';
import { type KnownFailure, repositoryFailures } from '../engine/engine-failure.ts';

/** Both engines have these failures, because both access the object store through the same client: bucket, keys, network. */
const storeFailures = repositoryFailures.filter(({ code }) =>
  ['BUCKET_NOT_FOUND', 'OBJECT_STORE_FORBIDDEN', 'OBJECT_STORE_FULL', 'OBJECT_STORE_UNAVAILABLE'].includes(code),
);

/** Reasons for which a restic repository does not open; restic 0.14 has no exit codes for them. */
export const resticFailures: readonly KnownFailure[] = [
  {
    pattern: /wrong password or no key found/i,
    ...repositoryPasswordWrong,
    message: ({ repository }) => repositoryPasswordWrong.message(repository),
  },
  {
    pattern: /repository is already locked/i,
    code: 'REPOSITORY_LOCKED',
    message: ({ repository }) => `the repository at ${repository} is locked by another process`,
    nextStep: 'Wait until that process ends; if the process named below no longer runs, run restic unlock.',
    retry: 'later',
  },
  {
    pattern: /ciphertext verification failed|unsupported repository version|unable to (decrypt|parse) config/i,
    code: 'REPOSITORY_CORRUPTED',
    message: ({ repository }) => `the repository at ${repository} cannot be read by this version of restic`,
    nextStep: 'Check it with restic check; restore damaged files from a copy of the bucket.',
    retry: 'later',
  },
  ...storeFailures,
  {
    // restic asks this after every failure to read the config file, so more specific failures come first.
    pattern: /is there a repository at the following location/i,
    code: 'REPOSITORY_NOT_FOUND',
    message: ({ repository }) => `there is no repository at ${repository}`,
    nextStep: 'Check that the bucket exists and that the BackupRepository of this namespace is Ready.',
    retry: 'later',
  },
];
