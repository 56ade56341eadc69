import type { Backup, DataUpload, Unstructured } from '@lateen/api-types';
import { parseItemPath, readArchive } from '@lateen/archive';
import type { BackupStore } from '@lateen/backup-store';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { type DeleteItemAction, selects, selectsResource } from '@lateen/item-actions';
import type { DeletionPorts } from './deletion-ports.ts';
import { deleteLabelledSnapshots } from './objects-of-backup.ts';

const uploads = 'datauploads.velero.io';

/** Archives that cannot be read to their end: no later attempt will. */
const brokenCodes: readonly string[] = [
  'ARCHIVE_BROKEN',
  'ARCHIVE_PATH_ESCAPES',
  'ARCHIVE_PATH_INVALID',
  'ARCHIVE_TOO_LARGE',
];

/**
 * Shows the items of the archive to the actions that want to see them, one after the other as they come out of the bucket, and resolves with
 * the DataUploads among them. Where the archive is missing, what snapshots the cluster still has of the backup go by their label. One that is broken is read as far as it goes:
 * else such a backup could never be deleted.
 * @throws DELETE_ACTION_FAILED, what the store throws
 */
export async function runDeleteActions(
  ports: DeletionPorts,
  { backup, store }: { backup: Backup; store: BackupStore },
  signal: AbortSignal,
): Promise<DataUpload[]> {
  const name = backup.metadata.name ?? '';
  const found: DataUpload[] = [];
  try {
    for await (const { path, body } of readArchive(store.readArchive(name, { signal }), { signal })) {
      const place = parseItemPath(path);
      // Each object is there twice; the path without a version is enough.
      if (place === undefined || place.version !== undefined) continue;
      const actions = ports.deleteActions.filter(({ appliesTo }) => selectsResource(appliesTo, place.groupResource));
      const isUpload = place.groupResource === uploads;
      if (actions.length === 0 && !isUpload) continue;
      const item = parsedItem(body, path);
      if (item === undefined) continue;
      if (isUpload) found.push(item as unknown as DataUpload);
      const { labels } = item.metadata;
      for (const action of actions)
        if (selects(action.appliesTo, { ...place, ...(labels === undefined ? {} : { labels }) }))
          await runAction(ports, action, { backup, item, path }, signal);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, 'OBJECT_NOT_FOUND')) {
      await deleteLabelledSnapshots(ports.kube, backup, signal);
      return found;
    }
    if (!isAppError(error) || !brokenCodes.includes(error.code)) throw error;
    const reason = describeError(error);
    ports.log.warn({ backup: name, reason }, 'the archive of a backup that is deleted cannot be read to its end');
  }
  return found;
}

/** Undefined for what is no object: it is being deleted in any case. */
function parsedItem(body: Uint8Array, path: string): Unstructured | undefined {
  try {
    const item: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const isObject = typeof item === 'object' && item !== null && 'metadata' in item && path !== '';
    return isObject ? (item as Unstructured) : undefined;
  } catch {
    return undefined;
  }
}

async function runAction(
  { kube, clock, random, log, namespace }: DeletionPorts,
  action: DeleteItemAction,
  { backup, item, path }: { backup: Backup; item: Unstructured; path: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    await action.execute(item, { backup, kube, clock, random, log, veleroNamespace: namespace }, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError('DELETE_ACTION_FAILED', `${action.name} failed for ${path}`, { cause, retry: 'later' });
  }
}
