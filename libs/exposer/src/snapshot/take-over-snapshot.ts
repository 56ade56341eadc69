import { type VolumeSnapshot, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { createOwned, deleteIfThere } from '../api/owned-object.ts';
import { waitGone } from '../api/wait-gone.ts';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { backupSnapshot, backupSnapshotContent } from '../specs/backup-volume.ts';
import type { SourceSnapshot } from './snapshot-source.ts';

/** Our VolumeSnapshot and its content, made if they are not there yet; resolves when the snapshotter has bound them. */
export async function takeOverSnapshot(
  ports: ExposerPorts,
  owner: ExposeOwner,
  source: SourceSnapshot,
  signal: AbortSignal,
): Promise<VolumeSnapshot> {
  const { kube } = ports;
  await createOwned(kube, volumeSnapshotContentType, backupSnapshotContent(owner, source.content), owner, signal);
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
 * Takes the original objects away, leaving the snapshot itself to us: the content is told to retain it first, so that
 * its deletion cannot take the data along. Only after ours is bound; safe to repeat (data-movement.md section 4, step 3).
 */
export async function retireSource(
  ports: ExposerPorts,
  source: { snapshot: { namespace: string; name: string }; content: string },
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { kube } = ports;
  const { signal } = options;
  const [snapshot, content] = await Promise.all([
    readObject(kube, volumeSnapshotType, source.snapshot, signal),
    readObject(kube, volumeSnapshotContentType, { name: source.content }, signal),
  ]);
  if (content !== undefined && content.spec.deletionPolicy !== 'Retain') {
    const body = { spec: { deletionPolicy: 'Retain' } };
    await kube.patch(volumeSnapshotContentType, { name: source.content }, { type: 'merge', body }, { signal });
  }
  if (snapshot !== undefined && snapshot.status?.boundVolumeSnapshotContentName === source.content) {
    await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
    await waitGone(ports, volumeSnapshotType, snapshot, options);
  }
  if (content !== undefined) {
    await deleteIfThere(kube, volumeSnapshotContentType, content, signal);
    await waitGone(ports, volumeSnapshotContentType, content, options);
  }
}
