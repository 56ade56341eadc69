import { AppError } from '@lateen/errors';
import { mustRun } from '../engine/must-run.ts';
import type { OperationOptions, PasswordChange } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';

/**
 * Gives the repository another password; the session's own no longer opens it then. What is stored is not encrypted anew:
 * whoever had the old password and a copy of the key keeps what they could read. The new one reaches kopia by its
 * environment and restic by standard input. An abort in between leaves a repository that opens with one of the two.
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
        nextStep: 'White space at both ends of the Secret does not count, so such a password would not open anything.',
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

/** The session does not know the new one among its secrets. */
const hidden = (text: string, password: string): string => text.replaceAll(password, '***');
