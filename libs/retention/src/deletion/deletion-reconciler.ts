import {
  type Backup,
  backupType,
  type DeleteBackupRequest,
  deleteBackupRequestType,
  getValidName,
  labels,
} from '@lateen/api-types';
import { isNotFound, keyOf, keyText } from '@lateen/kube';
import {
  again,
  eventSubject,
  type Outcome,
  type Reconciler,
  settled,
  type WorkQueue,
  waiting,
} from '@lateen/kube-runtime';
import { LocationPlaces } from '@lateen/storage-location';
import { decideDeletion } from './decide-deletion.ts';
import { type DeletionSubject, deleteBackup } from './delete-backup.ts';
import { type DeletionPorts, deletionFailedReason } from './deletion-ports.ts';
import { deleteObject } from './objects-of-backup.ts';

/** Another request for the same backup waits for the one at work, which deletes it. */
const turnAgainMs = 1_000;

/** Follows DeleteBackupRequests (object-store-layout.md section 9): one at a time for a backup, from any client. */
export function deletionReconciler(ports: DeletionPorts, queue: Pick<WorkQueue, 'add'>): Reconciler {
  const working = new Set<string>();
  const places = new LocationPlaces((request) => queue.add(request));
  return {
    reconcile: async (key, signal) => {
      const request = ports.getRequest(key);
      if (request === undefined || request.metadata.deletionTimestamp !== undefined) {
        places.release(keyText(key));
        return settled;
      }
      const { backupName } = request.spec;
      const backup = backupName ? ports.getBackup({ namespace: key.namespace, name: backupName }) : undefined;
      const location = ports.getLocation({ namespace: key.namespace, name: backup?.spec.storageLocation ?? '' });
      const view = { request, backup, location, restores: ports.restores(), nowMs: ports.clock.now() };
      const step = decideDeletion(view);
      switch (step.kind) {
        case 'wait':
          return again(step.afterMs, 'the request has served');
        case 'forget':
          await deleteObject(ports.kube, deleteBackupRequestType, request, signal);
          return settled;
        case 'finish':
          return await finish(ports, request, signal);
        case 'refuse':
          return await refuse(ports, request, [step.error], signal);
        case 'work': {
          if (working.has(backupName)) return again(turnAgainMs, 'another request for the backup');
          if (!places.tryTake(step.location?.metadata.name ?? '', keyText(key)))
            return waiting('other deletions in the location');
          working.add(backupName);
          try {
            return await work(ports, { request, backup: step.backup, location: step.location }, signal);
          } finally {
            working.delete(backupName);
            places.release(keyText(key));
          }
        }
        default:
          return step satisfies never;
      }
    },
  };
}

async function work(ports: DeletionPorts, subject: DeletionSubject, signal: AbortSignal): Promise<Outcome> {
  const { observer } = ports;
  const claimed = await claim(ports, subject, signal);
  if (claimed === undefined) return settled;
  const schedule = claimed.backup.metadata.labels?.[labels.scheduleName] ?? '';
  const result = await deleteBackup(ports, { ...subject, ...claimed }, signal);
  switch (result.kind) {
    case 'open':
      return result.outcome;
    case 'failed':
      observer?.failed(schedule);
      return await refuse(ports, claimed.request, result.errors, signal);
    case 'deleted':
      observer?.succeeded(schedule);
      ports.log.info({ backup: claimed.backup.metadata.name }, 'a backup and all that was stored for it is deleted');
      return await finish(ports, claimed.request, signal);
    default:
      return result satisfies never;
  }
}

/**
 * Records that the deletion has begun, on the request and on the Backup; guarded by the resourceVersions of the decision, because no client may have
 * started to use the backup meanwhile. Undefined when the request is gone.
 */
async function claim(
  { kube, requestsOf, observer, log }: DeletionPorts,
  { request, backup }: DeletionSubject,
  signal: AbortSignal,
): Promise<{ request: DeleteBackupRequest; backup: Backup } | undefined> {
  const { name = '', uid = '' } = backup.metadata;
  for (const other of requestsOf(name))
    if (other.metadata.uid !== request.metadata.uid) await deleteObject(kube, deleteBackupRequestType, other, signal);
  let claimed = request;
  if (request.status?.phase !== 'InProgress') {
    const own = { [labels.backupName]: getValidName(name), [labels.backupUid]: uid };
    const { resourceVersion } = request.metadata;
    const body = { metadata: { resourceVersion, labels: own }, status: { phase: 'InProgress' } };
    try {
      claimed = await kube.patch(deleteBackupRequestType, keyOf(request), { type: 'merge', body }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    observer?.attempted(backup.metadata.labels?.[labels.scheduleName] ?? '');
    log.info({ backup: name, request: request.metadata.name }, 'the deletion of a backup begins');
  }
  if (backup.status?.phase === 'Deleting') return { request: claimed, backup };
  const { resourceVersion } = backup.metadata;
  const body = { metadata: { resourceVersion }, status: { phase: 'Deleting' } };
  const marked = await kube.patch(backupType, keyOf(backup), { type: 'merge', body }, { signal });
  return { request: claimed, backup: marked };
}

/** The request is answered: with what could not be done. */
async function refuse(
  { kube, events, log }: DeletionPorts,
  request: DeleteBackupRequest,
  errors: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  const body = { metadata: { uid: request.metadata.uid }, status: { phase: 'Processed', errors } };
  try {
    await kube.patch(deleteBackupRequestType, keyOf(request), { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return settled;
  }
  log.warn({ backup: request.spec.backupName, request: request.metadata.name, errors }, 'a backup is not deleted');
  events.record(eventSubject(request), deletionFailedReason, errors.join('; '), { type: 'Warning' });
  return again(0, 'when the request has served');
}

/** The Backup is gone, and all requests for it with it; this one last. */
async function finish(ports: DeletionPorts, request: DeleteBackupRequest, signal: AbortSignal): Promise<Outcome> {
  const others = ports
    .requestsOf(request.spec.backupName)
    .filter(({ metadata }) => metadata.uid !== request.metadata.uid);
  for (const each of [...others, request]) await deleteObject(ports.kube, deleteBackupRequestType, each, signal);
  return settled;
}
