import {
  type BackupRepository,
  backupRepositoryType,
  repositoryCredentials,
  type Secret,
  secretType,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { isNotFound, keyOf, listAll, readObject, retryOnConflict } from '@lateen/kube';
import type { TaskPorts } from '../job/task-ports.ts';
import { nextPasswordKey, withChangeDone } from './password-keys.ts';

export interface ChangeAllOptions {
  namespace: string;
  /** Names of repositories that keep their password. */
  skip: readonly string[];
  /** Gives one repository the password under {@link nextPasswordKey}; safe to repeat. */
  changeOne(repository: BackupRepository, position: string): Promise<void>;
  /** Called when this BackupRepository was deleted before its change was complete; its data may open with either password. */
  onDeleted(repository: BackupRepository): void;
  /** Checked between two repositories: a change that has begun is completed. */
  signal: AbortSignal;
}

/** The limit of rounds that look for repositories created meanwhile. */
const roundsMax = 10;

/**
 * Gives every repository the password that the Secret has under {@link nextPasswordKey}, then makes it the current password. Until then
 * the Secret has both passwords, so after a crash at any point each repository opens with one of them, and a repeated call continues
 * where the last one ended. Returns the names of the repositories that have the new password.
 * @throws PASSWORD_CHANGE_UNFINISHED with what to do; INTERRUPTED; KUBE_…
 */
export async function changeAll(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  { namespace, skip, changeOne, onDeleted, signal }: ChangeAllOptions,
): Promise<string[]> {
  const changed = new Set<string>();
  for (let round = 0; round < roundsMax; round++) {
    if (signal.aborted) throw unfinished(changed.size);
    const left = (await repositoriesOf({ kube }, namespace, skip, signal)).filter(
      ({ metadata }) => !changed.has(metadata.name ?? ''),
    );
    if (left.length === 0) {
      await useNext({ kube, clock }, namespace, signal).catch((error) => {
        throw unfinished(changed.size, { doing: 'writing the Secret', error });
      });
      return [...changed];
    }
    const total = changed.size + left.length;
    for (const repository of left) {
      if (signal.aborted) throw unfinished(changed.size);
      try {
        await changeOne(repository, `${changed.size + 1} of ${total}`);
      } catch (error) {
        // The change of this repository had not begun.
        if (signal.aborted && error === signal.reason) throw unfinished(changed.size);
        // A deleted repository is not opened any more. A new one of the same name is found in the next round.
        if (await isDeleted({ kube }, repository, signal)) {
          onDeleted(repository);
          continue;
        }
        throw unfinished(changed.size, { doing: `changing ${repository.metadata.name}`, error }, repository);
      }
      changed.add(repository.metadata.name ?? '');
    }
  }
  throw unfinished(changed.size, { doing: 'looking for repositories', error: new Error('new ones keep coming') });
}

/** Whether the repository is known to be deleted, or replaced by a new one of the same name. */
async function isDeleted(
  { kube }: Pick<TaskPorts, 'kube'>,
  repository: BackupRepository,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const now = await readObject(kube, backupRepositoryType, keyOf(repository), signal);
    return now === undefined || now.metadata.uid !== repository.metadata.uid;
  } catch {
    // The error of the change itself says more than this one.
    return false;
  }
}

/** All repositories of the installation, except those to skip. */
export async function repositoriesOf(
  { kube }: Pick<TaskPorts, 'kube'>,
  namespace: string,
  skip: readonly string[],
  signal: AbortSignal,
): Promise<BackupRepository[]> {
  const { items } = await listAll(kube, backupRepositoryType, { namespace, signal });
  return items.filter(({ metadata }) => !skip.includes(metadata.name ?? ''));
}

export async function readPasswordSecret(
  { kube }: Pick<TaskPorts, 'kube'>,
  namespace: string,
  signal: AbortSignal,
): Promise<Secret> {
  const { name } = repositoryCredentials;
  try {
    return await kube.get(secretType, { namespace, name }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError('PASSWORD_SECRET', `Secret ${namespace}/${name} does not exist`, {
      cause: error,
      nextStep: 'The controller makes it with the first repository; there is no password to change yet.',
    });
  }
}

/** The last step: makes the next password the current one. */
async function useNext(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  await changeSecret({ kube }, namespace, signal, (secret) => {
    if (secret.data?.[nextPasswordKey] !== undefined) return withChangeDone(secret, clock.now());
    throw new AppError('PASSWORD_SECRET', `${nextPasswordKey} was removed from the Secret during the change`, {
      nextStep: `Put the new password back under ${nextPasswordKey}, then start again: the repositories have it already.`,
    });
  });
}

/** Changes the Secret of the password. The write is guarded by resourceVersion, so that it fails when the Secret has changed since it was read. */
export async function changeSecret(
  { kube }: Pick<TaskPorts, 'kube'>,
  namespace: string,
  signal: AbortSignal,
  change: (secret: Secret) => Secret,
): Promise<void> {
  await retryOnConflict(async () => {
    const secret = await readPasswordSecret({ kube }, namespace, signal);
    await kube.update(secretType, change(secret), { signal });
  });
}

function unfinished(
  changed: number,
  failed?: { doing: string; error: unknown },
  repository?: BackupRepository,
): AppError {
  const so = `${changed} repositories were given the new password`;
  const skip = repository === undefined ? '' : ` Leave this one out with --skip ${repository.metadata.name}.`;
  return new AppError(
    failed === undefined ? 'INTERRUPTED' : 'PASSWORD_CHANGE_UNFINISHED',
    failed === undefined ? `stopped: ${so}` : `${so}; ${failed.doing} failed: ${describeError(failed.error)}`,
    {
      ...(failed === undefined ? {} : { cause: failed.error }),
      nextStep:
        'Both passwords are in the Secret. Continue with "lateen repo change-password", or revert with ' +
        `"lateen repo change-password --undo".${skip}`,
    },
  );
}
