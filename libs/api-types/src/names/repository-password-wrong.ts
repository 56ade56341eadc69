import { repositoryCredentials } from './secrets.ts';

/**
 * The failure of whoever opens a repository with another password than its own: kopia, restic and our reader say it in the same
 * words, and know nothing of each other.
 */
export const repositoryPasswordWrong = {
  code: 'REPOSITORY_PASSWORD_WRONG',
  /** @param where the repository is, for people */
  message: (where: string) => `the repository at ${where} does not open with the repository password`,
  nextStep: `Put the password it was made with into Secret ${repositoryCredentials.name}, key ${repositoryCredentials.key}; if a change of the password was interrupted, finish it with lateen repo change-password.`,
  retry: 'later',
} as const;
