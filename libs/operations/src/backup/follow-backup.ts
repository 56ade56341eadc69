import {
  type Backup,
  backupType,
  type CoreEvent,
  type DataUpload,
  dataUploadType,
  eventType,
  getValidName,
  labels,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { informer, waitForObject } from '@lateen/kube-runtime';
import { backupHasEnded } from './backup-noun.ts';
import { type FollowPorts, type QueueAhead, queueWatch } from './queue-watch.ts';

/** What can be seen of a backup at one moment. */
export interface BackupSight {
  backup: Backup;
  /** Its volumes that are moved. */
  uploads: readonly DataUpload[];
  /** About the Backup itself. */
  events: readonly CoreEvent[];
  /** What it stands behind, while it waits for its turn. */
  ahead?: QueueAhead | undefined;
}

/**
 * Follows a backup by watches until it has ended and resolves with what is then seen. Uploads and Events are looked at too; who may not
 * see them sees the rest. A watch that breaks is begun again.
 * @param onChange called for each state seen; never after the promise has settled
 * @throws AppError BACKUP_DELETED when the object vanishes first. On abort: rejects with the signal's reason, the backup goes on.
 */
export async function followBackup(
  ports: FollowPorts,
  backup: Backup,
  onChange: (seen: BackupSight) => void,
  signal: AbortSignal,
): Promise<BackupSight> {
  const { kube, clock, random } = ports;
  const { uploads, events } = besides(ports, backup);
  let latest = backup;
  let isOver = false;
  const sight = (): BackupSight => ({
    backup: latest,
    uploads: uploads.list(),
    events: events.list(),
    ahead: queue.ahead(latest),
  });
  const look = () => {
    if (!isOver) onChange(sight());
  };
  const queue = queueWatch(ports, backup.metadata.namespace ?? '', look);
  uploads.onChange(look);
  events.onChange(look);
  const stop = new AbortController();
  const running = Promise.all([uploads.run(stop.signal), events.run(stop.signal)]);
  try {
    latest = await waitForObject<Backup, Backup>({
      api: kube,
      type: backupType,
      key: keyOf(backup),
      clock,
      random,
      signal,
      until: (seen) => {
        // Another of its name may have taken its place while nobody watched: one that the bucket brought back, for example.
        if (seen === undefined || isAnother(seen, backup)) throw deleted(backup);
        latest = seen;
        queue.follow(seen);
        look();
        return backupHasEnded(seen) ? seen : undefined;
      },
    });
    return sight();
  } finally {
    isOver = true;
    stop.abort(new AppError('STOPPED', 'nobody follows the backup any more'));
    await queue.end();
    await running;
  }
}

/** What is watched beside the Backup; errors there only leave something out. */
function besides({ kube, clock, random }: FollowPorts, backup: Backup) {
  const { namespace, name } = keyOf(backup);
  const base = { api: kube, clock, random, namespace, log: silentLogger };
  return {
    uploads: informer<DataUpload>({
      ...base,
      type: dataUploadType,
      labelSelector: `${labels.backupName}=${getValidName(name)}`,
    }),
    events: informer<CoreEvent>({
      ...base,
      type: eventType,
      fieldSelector: `involvedObject.uid=${backup.metadata.uid ?? ''}`,
    }),
  };
}

const isAnother = (seen: Backup, { metadata: { uid } }: Backup): boolean =>
  uid !== undefined && seen.metadata.uid !== uid;

const deleted = ({ metadata }: Backup): AppError =>
  new AppError('BACKUP_DELETED', `backup "${metadata.name}" was deleted before it ended`);
