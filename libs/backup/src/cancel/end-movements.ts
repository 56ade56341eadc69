import { type Backup, type DataUpload, dataUploadType, getValidName, labels } from '@lateen/api-types';
import { type Clock, eachAtOnce, type Logger, orAborted, type Random } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf, listAll, readObject, retryOnConflict } from '@lateen/kube';
import { type Informer, informer, waitForObject } from '@lateen/kube-runtime';
import { askToForget, snapshotOfUpload, snapshotsByRepository } from '@lateen/maintenance';
import { findBackupRepository } from '@lateen/repository';

export interface EndUploadsPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  /** Namespace of the installation. */
  namespace: string;
  log: Logger;
}

/** Movements that are asked to end at the same time, and how long their end is waited for. */
const limits = { atOnce: 16, endMs: 600_000 } as const;

/**
 * Ends the movements of a backup that have stored nothing yet. Deleting one asks its node-agent to end it and to take away what it has
 * made; it is gone when that is done. They are watched from before that: what one of them stores all the same is asked to be forgotten
 * at once when it is going, and else left to {@link forgetUploads}.
 */
export async function endUploads(ports: EndUploadsPorts, backup: Backup, signal: AbortSignal): Promise<void> {
  const running = (await uploadsOf(ports, backup, signal)).filter((upload) => !hasStored(upload));
  if (running.length === 0) return;
  const stop = new AbortController();
  const { kube: api, clock, random, log, namespace } = ports;
  const labelSelector = labelOf(backup);
  const uploads = informer({ api, clock, random, log, namespace, type: dataUploadType, labelSelector });
  const watching = uploads.run(AbortSignal.any([signal, stop.signal]));
  try {
    await endWatched(ports, backup, { running, uploads }, signal);
  } finally {
    stop.abort(new Error('the movements have ended'));
    await watching;
  }
}

async function endWatched(
  ports: EndUploadsPorts,
  backup: Backup,
  { running, uploads }: { running: readonly DataUpload[]; uploads: Informer<DataUpload> },
  signal: AbortSignal,
): Promise<void> {
  const either = AbortSignal.any([signal, ports.clock.deadline(limits.endMs)]);
  await uploads.synced(either);
  const late = new Map<string | undefined, DataUpload>();
  let changed = Promise.withResolvers<void>();
  uploads.onChange(({ type, object }) => {
    const isGoing = type === 'deleted' || object.metadata.deletionTimestamp !== undefined;
    if (isGoing && hasStored(object)) late.set(object.metadata.uid, object);
    changed.resolve();
  });
  const asked = new Set(running.map(({ metadata }) => metadata.uid));
  const isRunning = (upload: DataUpload) => asked.has(upload.metadata.uid) && !hasStored(upload);
  await eachAtOnce(running, limits.atOnce, (upload) => deleteUnlessStored(ports, upload, signal));
  for (;;) {
    changed = Promise.withResolvers();
    const stored = [...late.values()];
    late.clear();
    if (stored.length > 0) await letForget(ports, backup, stored, signal);
    else if (!uploads.list().some(isRunning)) return;
    else await orAborted(changed.promise, either);
  }
}

/**
 * Lets repositories forget what the movements of a backup have stored, and deletes these: first it is written down what to forget, by
 * requests that do not need the Backup any more (docs/adr/0032), for the movements are what the snapshots are known by.
 */
export async function forgetUploads(ports: EndUploadsPorts, backup: Backup, signal: AbortSignal): Promise<void> {
  const stored = (await uploadsOf(ports, backup, signal)).filter(hasStored);
  if (stored.length === 0) return;
  await letForget(ports, backup, stored, signal);
  const either = AbortSignal.any([signal, ports.clock.deadline(limits.endMs)]);
  await eachAtOnce(stored, limits.atOnce, (upload) => remove(ports, upload, {}, signal));
  await eachAtOnce(stored, limits.atOnce, (upload) => untilGone(ports, upload, either));
}

const hasStored = ({ status }: DataUpload): boolean => Boolean(status?.snapshotID);

const labelOf = ({ metadata }: Backup): string => `${labels.backupUid}=${getValidName(metadata.uid ?? '')}`;

async function uploadsOf({ kube, namespace }: EndUploadsPorts, backup: Backup, signal: AbortSignal) {
  const labelSelector = labelOf(backup);
  return (await listAll(kube, dataUploadType, { namespace, labelSelector, signal })).items;
}

/** What has stored something has made its BackupRepository: none is made in order to forget. */
async function letForget(
  { kube, namespace, log }: EndUploadsPorts,
  backup: Backup,
  uploads: readonly DataUpload[],
  signal: AbortSignal,
): Promise<void> {
  for (const { engine, volumeNamespace, snapshotIDs } of snapshotsByRepository(uploads.map(snapshotOfUpload))) {
    const key = { namespace, volumeNamespace, location: backup.spec.storageLocation ?? '', type: engine };
    const repository = await findBackupRepository(kube, key, { signal });
    if (repository === undefined) {
      const { location } = key;
      log.warn(
        { backup: backup.metadata.name, location, volumeNamespace, engine, snapshotIDs },
        'snapshots of a backup that is taken back are not forgotten: their BackupRepository does not exist any more',
      );
      continue;
    }
    const { name: repositoryName = '' } = repository.metadata;
    await askToForget(kube, { namespace, repositoryName, snapshotIDs, backup, owned: false }, signal);
  }
}

/** Guarded by the version that was looked at: one that has stored something must not go before that is written down. */
async function deleteUnlessStored(ports: EndUploadsPorts, upload: DataUpload, signal: AbortSignal): Promise<void> {
  await retryOnConflict(async () => {
    const now = await readObject(ports.kube, dataUploadType, keyOf(upload), signal);
    if (now === undefined || !isSame(now, upload) || hasStored(now)) return;
    const { resourceVersion } = now.metadata;
    await remove(ports, now, resourceVersion === undefined ? {} : { resourceVersion }, signal);
  });
}

async function remove(
  { kube }: EndUploadsPorts,
  upload: DataUpload,
  version: { resourceVersion?: string },
  signal: AbortSignal,
): Promise<void> {
  const { uid } = upload.metadata;
  const preconditions = { ...version, ...(uid === undefined ? {} : { uid }) };
  await kube.delete(dataUploadType, keyOf(upload), { signal, preconditions }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

async function untilGone({ kube, clock }: EndUploadsPorts, upload: DataUpload, signal: AbortSignal): Promise<void> {
  const until = (now: DataUpload | undefined) => (isSame(now, upload) ? undefined : true);
  await waitForObject({ api: kube, type: dataUploadType, key: keyOf(upload), until, clock, signal });
}

const isSame = (now: DataUpload | undefined, { metadata }: DataUpload): boolean => now?.metadata.uid === metadata.uid;
