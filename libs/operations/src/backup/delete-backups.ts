import {
  type Backup,
  backupType,
  type DeleteBackupRequest,
  deleteBackupRequestType,
  getValidName,
  type KubeObject,
  labels,
  type ResourceType,
} from '@lateen/api-types';
import { AppError, isAppError, plainLine } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { apiVersionOf, type KubeApi } from '@lateen/kube';
import { type Informer, informer } from '@lateen/kube-runtime';
import type { FollowPorts } from '../run/follow-run.ts';

/** Requests the deletion of a backup and all its stored data (cli.md section 6); the controller carries it out. */
export async function requestDeletion(
  kube: KubeApi,
  { metadata }: Backup,
  signal: AbortSignal,
): Promise<DeleteBackupRequest> {
  const { name = '', namespace = '', uid = '' } = metadata;
  const request: DeleteBackupRequest = {
    apiVersion: apiVersionOf(deleteBackupRequestType),
    kind: deleteBackupRequestType.kind,
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { [labels.backupName]: getValidName(name), [labels.backupUid]: uid },
    },
    spec: { backupName: name },
  };
  return await kube.create(deleteBackupRequestType, request, { namespace, signal });
}

/** A backup and the request for its deletion. */
export interface RequestedDeletion {
  backup: Backup;
  request: DeleteBackupRequest;
}

/** The end of one deletion; without an error the backup is gone. */
export interface EndedDeletion {
  name: string;
  error?: AppError;
}

/**
 * Follows deletions to their ends by two watches, and reports each end as it happens: the Backup is gone, or its request has ended with
 * errors. Resolves when all have ended. @throws an error that the watches cannot recover from; the signal's reason
 */
export async function followDeletions(
  ports: FollowPorts,
  deletions: readonly RequestedDeletion[],
  onEnd: (ended: EndedDeletion) => void,
  signal: AbortSignal,
): Promise<void> {
  const pending = new Map(deletions.map(({ backup }) => [backup.metadata.uid ?? '', backup.metadata.name ?? '']));
  const [first] = deletions;
  if (first === undefined) return;
  const { namespace = '' } = first.backup.metadata;
  const over = Promise.withResolvers<void>();
  const stop = new AbortController();
  const end = (uid: string | undefined, error?: AppError) => {
    const name = pending.get(uid ?? '');
    if (name === undefined || stop.signal.aborted) return;
    pending.delete(uid ?? '');
    onEnd(error === undefined ? { name } : { name, error });
    if (pending.size === 0) over.resolve();
  };
  const watched = <T extends KubeObject>(type: ResourceType<T>): Informer<T> =>
    informer<T>({
      api: ports.kube,
      clock: ports.clock,
      random: ports.random,
      log: silentLogger,
      type,
      namespace,
      onError: (error) => {
        if (isAppError(error) && error.retry === 'never') over.reject(error);
      },
    });
  const backups = watched(backupType);
  const requests = watched(deleteBackupRequestType);
  backups.onChange(({ type, object }) => {
    if (type === 'deleted') end(object.metadata.uid);
  });
  requests.onChange(({ type, object }) => {
    const errors = object.status?.errors ?? [];
    if (type === 'deleted' || object.status?.phase !== 'Processed' || errors.length === 0) return;
    end(object.metadata.labels?.[labels.backupUid], notDeleted(object.spec.backupName, errors));
  });
  const onAbort = () => over.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const running = Promise.all([backups.run(stop.signal), requests.run(stop.signal)]);
  // A backup that was gone before the first list is recognized by its absence there.
  const seen = backups.synced(stop.signal).then(() => {
    const there = new Set(backups.list().map(({ metadata }) => metadata.uid));
    for (const uid of [...pending.keys()]) if (!there.has(uid)) end(uid);
  });
  seen.catch(() => {});
  try {
    if (signal.aborted) onAbort();
    await over.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop.abort(new AppError('STOPPED', 'nobody follows the deletions any more'));
    await running;
  }
}

const notDeleted = (name: string, errors: readonly string[]): AppError =>
  new AppError('BACKUP_NOT_DELETED', `backup "${name}" could not be deleted: ${errors.map(plainLine).join('; ')}`, {
    nextStep: `When the cause is corrected, delete it again with: lateen backup delete ${name}`,
  });
