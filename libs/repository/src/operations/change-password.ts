import { AppError } from '@lateen/errors';
import { mustRun } from '../engine/must-run.ts';
import type { OperationOptions, PasswordChange } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

/**
 * Changes the password of a repository; the session's own password no longer opens it then. The stored data is not encrypted
 * again: a person who had the old password and a copy of the key can still read what they could read before. The new password is
 * passed to kopia by environment and to restic by standard input. After an abort the repository opens with one of the two
 * passwords.
 * @throws PASSWORD_INVALID, REPOSITORY_…, OBJECT_STORE_…, ENGINE_…; the signal's reason on abort
 */
export async function changePassword(
  session: RepositorySession,
  newPassword: string,
  { signal }: OperationOptions,
): Promise<PasswordChange> {
  if (newPassword !== newPassword.trim() || newPassword === '' || /[\r\n\0]/.test(newPassword)) {
    throw new AppError(
      'PASSWORD_INVALID',
      'the new password is empty, has white space around it, or more than one line',
      {
        nextStep: 'White space at both ends of the Secret is ignored, so such a password would open nothing.',
      },
    );
  }
  const doing = 'changing the repository password';
  if (session.engine === 'kopia') {
    const variables = { KOPIA_NEW_PASSWORD: newPassword };
    const exit = await session.run(['repository', 'change-password'], { signal, variables });
    signal.throwIfAborted();
    if (exit.exitCode !== 0) throw session.failure({ ...exit, stderr: hidden(exit.stderr, newPassword) }, doing);
  } else {
    await mustRun(session, doing, ['key', 'passwd'], { signal, stdin: `${newPassword}\n` });
  }
  return { engine: session.engine };
}

/** The new password is not among the session's secrets, so it is redacted here. */
const hidden = (text: string, password: string): string => text.replaceAll(password, '***');
