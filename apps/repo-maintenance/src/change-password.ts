import { AppError, isAppError } from '@lateen/errors';
import type { OperationResults } from '@lateen/maintenance';
import { readRepositoryPassword } from '@lateen/repository';
import { changePassword, type RepositorySession } from '@lateen/repository/operations';
import { type FoundRepository, openSession, type SessionPorts } from './open-session.ts';

interface PasswordTask {
  found: FoundRepository;
  session: RepositorySession;
  /** In the Secret with the repository password. */
  newPasswordKey: string | undefined;
}

/**
 * Gives the repository the new password, which it reads from the Secret with the present one, and opens it with that: while the old one is still known, something can be done
 * about it. Safe to repeat: one that opens with the new password only has been changed before.
 * On abort the change itself is brought to its end, which takes a second: kopia writes two files in turn, and between them
 * the repository opens with neither password.
 * @throws USAGE without a key, SECRET_…, REPOSITORY_PASSWORD_EMPTY, REPOSITORY_PASSWORD_WRONG when neither opens it, and what `changePassword` throws
 */
export async function changeRepositoryPassword(
  ports: SessionPorts,
  { found, session, newPasswordKey: key }: PasswordTask,
  signal: AbortSignal,
): Promise<OperationResults['change-password']> {
  if (key === undefined) throw new AppError('USAGE', '--new-password-key is required');
  const newPassword = await readRepositoryPassword(ports.kube, ports.namespace, { signal, key });
  signal.throwIfAborted();
  const refusal = await changed(session, newPassword);
  const reopened = await openSession(ports, { ...found, target: { ...found.target, password: newPassword } });
  try {
    await mustOpen(reopened, signal);
  } catch (error) {
    // Neither opens it: what the old one met is the news, for the new one was never there.
    throw refusal !== undefined && isAppError(error, 'REPOSITORY_PASSWORD_WRONG') ? refusal : error;
  } finally {
    await reopened.close();
  }
  return { engine: session.engine };
}

/** The error when the old password does not open the repository; undefined when it has the new one now. */
async function changed(session: RepositorySession, newPassword: string): Promise<AppError | undefined> {
  try {
    await changePassword(session, newPassword, { signal: new AbortController().signal });
    return undefined;
  } catch (error) {
    if (isAppError(error, 'REPOSITORY_PASSWORD_WRONG')) return error;
    throw error;
  }
}

async function mustOpen(session: RepositorySession, signal: AbortSignal): Promise<void> {
  const args = session.engine === 'kopia' ? ['maintenance', 'info', '--json'] : ['cat', 'config', '--no-lock'];
  const exit = await session.run(args, { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, 'opening the repository with the new password');
}
