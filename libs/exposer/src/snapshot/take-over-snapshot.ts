import { type KubeObject, type VolumeSnapshot, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type ObjectKey, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { retireSnapshot } from '@lateen/volume-snapshots';
import { createOwned } from '../api/owned-object.ts';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { backupSnapshot, backupSnapshotContent } from '../specs/backup-volume.ts';
import { isSource, type SourceSnapshot, type TakenOverFrom } from '../specs/taken-over-from.ts';

/** Our VolumeSnapshot and its content, created if they do not exist; resolves when the snapshotter has bound them. */
export async function takeOverSnapshot(
  ports: ExposerPorts,
  owner: ExposeOwner,
  source: SourceSnapshot,
  signal: AbortSignal,
): Promise<VolumeSnapshot> {
  const { kube } = ports;
  await createOwned(kube, volumeSnapshotContentType, backupSnapshotContent(owner, source), owner, signal);
  await createOwned(kube, volumeSnapshotType, backupSnapshot(owner, source.snapshot), owner, signal);
  return readyBackupSnapshot(ports, owner, signal);
}

/** Waits, by watch, until our VolumeSnapshot is ready. @throws EXPOSE_SNAPSHOT_GONE */
export function readyBackupSnapshot(
  { kube, clock, random, log }: ExposerPorts,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<VolumeSnapshot> {
  return waitForObject({
    api: kube,
    type: volumeSnapshotType,
    key: { namespace: owner.namespace, name: owner.name },
    clock,
    random,
    log,
    signal,
    until: (seen) => {
      if (seen === undefined) {
        throw new AppError(
          'EXPOSE_SNAPSHOT_GONE',
          `VolumeSnapshot ${owner.namespace}/${owner.name} was deleted by somebody else`,
          { nextStep: 'Find out who deletes snapshots there, then start again with a new one.' },
        );
      }
      return seen.status?.readyToUse === true ? seen : undefined;
    },
  });
}

/**
 * Deletes the original objects and keeps the snapshot itself for us: the content is set to Retain first, so that its deletion
 * cannot delete the data. Only after ours is bound; safe to repeat (data-movement.md section 4, step 3).
 */
export async function retireSource(
  ports: ExposerPorts,
  owner: ExposeOwner,
  source: { snapshot: ObjectKey; from: TakenOverFrom },
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { kube } = ports;
  const { signal } = options;
  const { from } = source;
  const [snapshot, content] = await Promise.all([
    readObject(kube, volumeSnapshotType, source.snapshot, signal).then(onlySource(from.snapshotUid, owner)),
    readObject(kube, volumeSnapshotContentType, { name: from.content }, signal).then(
      onlySource(from.contentUid, owner),
    ),
  ]);
  const bound = snapshot?.status?.boundVolumeSnapshotContentName === from.content ? snapshot : undefined;
  await retireSnapshot(ports, { snapshot: bound, content }, options);
}

/** Another object with the source's name counts as missing. */
const onlySource =
  (uid: string | undefined, owner: ExposeOwner) =>
  <T extends KubeObject>(object: T | undefined): T | undefined =>
    object !== undefined && isSource(object, uid, owner) ? object : undefined;
