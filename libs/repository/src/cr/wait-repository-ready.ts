import { type BackupRepository, backupRepositoryType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText, type Logger, type Random } from '@lateen/kernel';
import { type KubeApi, keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { type BackupRepositoryKey, findOrCreateBackupRepository } from './find-backup-repository.ts';

export interface WaitRepositoryOptions {
  clock: Clock;
  random: Random;
  log: Logger;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * The BackupRepository of a namespace once its controller has made it Ready; created when missing.
 * @throws REPOSITORY_NOT_READY at once when it is NotReady, or after `timeoutMs` (fate `later`); KUBE_…
 */
export async function readyBackupRepository(
  kube: KubeApi,
  key: BackupRepositoryKey,
  options: WaitRepositoryOptions,
): Promise<BackupRepository> {
  const { clock, random, log, timeoutMs, signal } = options;
  const timeout = clock.deadline(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const found = await findOrCreateBackupRepository(kube, key, { signal });
  if (isReady(found)) return found;
  const name = found.metadata.name ?? '';
  let seen = found;
  try {
    return await waitForObject({
      api: kube,
      type: backupRepositoryType,
      key: keyOf(found),
      until: (repository) => {
        if (repository === undefined) throw notReady(name, 'it was deleted');
        seen = repository;
        return isReady(repository) ? repository : undefined;
      },
      signal: either,
      clock,
      random,
      log,
    });
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw stillNotReady(seen, timeoutMs);
  }
}

/** @throws REPOSITORY_NOT_READY when the controller has set it to NotReady: a longer wait would only hide the reason */
function isReady(repository: BackupRepository): boolean {
  const { phase, message } = repository.status ?? {};
  if (phase === 'NotReady') throw notReady(repository.metadata.name ?? '', message ?? '');
  return phase === 'Ready';
}

/** The problem that the controller has recorded so far is more useful than general advice. */
function stillNotReady({ metadata, status }: BackupRepository, timeoutMs: number): AppError {
  const { phase = 'New', message = '' } = status ?? {};
  const still = `still "${phase}" after ${durationText(timeoutMs)}`;
  const nextStep = 'Check that the controller (Deployment lateen-controller) runs, and its log.';
  if (message === '') return notReady(metadata.name ?? '', still, nextStep);
  return notReady(metadata.name ?? '', `${still}: ${message}`);
}

function notReady(name: string, why: string, nextStep?: string): AppError {
  // The controller's message is a whole sentence; the next step follows after its own full stop.
  return new AppError('REPOSITORY_NOT_READY', `backup repository is not ready: ${why.replace(/\.$/, '')}`, {
    retry: 'later',
    details: { repository: name },
    nextStep: nextStep ?? `See BackupRepository ${name}.`,
  });
}
