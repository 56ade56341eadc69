import { repositoryCredentials } from './secrets.ts';

/**
 * The error for opening a repository with a wrong password: kopia, restic and our reader report it in the same
 * words, although they share no code.
 */
export const repositoryPasswordWrong = {
  code: 'REPOSITORY_PASSWORD_WRONG',
  /** @param where the repository is, for people */
  message: (where: string) => `the repository at ${where} does not open with the repository password`,
  nextStep: `Put the password it was made with into Secret ${repositoryCredentials.name}, key ${repositoryCredentials.key}; if a change of the password was interrupted, finish it with lateen repo change-password.`,
  retry: 'later',
} as const;
