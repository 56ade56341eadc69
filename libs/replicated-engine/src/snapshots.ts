import { type BlockSnapshot, blockVolumeError, type Call, type FreezeMode, type Labels } from '@lateen/block-engine';
import { deleteIfThere, isAlreadyExists, listAll, readObject } from '@lateen/kube';
import {
  longhornGroup,
  longhornVersion,
  type Snapshot,
  snapshotType,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';
import { checkSnapshotLabels } from '@lateen/volume-decisions';
import type { EngineDeps } from './engine-deps.ts';
import { objectNameOf } from './object-name.ts';
import { blockSnapshotOf, isSeen, type SnapshotName } from './snapshot-named.ts';
import { volumeNamed } from './volume-named.ts';
import { waiting } from './waiting.ts';

/**
 * Asks for it by a Snapshot and waits until it can be read. Whether a mounted file system is frozen, volume and setting say
 * (`freezeFilesystemForSnapshot`): a Snapshot has no field for it.
 */
export async function takeSnapshot(
  deps: EngineDeps,
  name: SnapshotName,
  o: Call & { labels?: Labels; freeze?: FreezeMode },
): Promise<BlockSnapshot> {
  const [object, labels] = [objectNameOf(name.snapshot), o.labels ?? {}];
  const refused = checkSnapshotLabels(labels);
  if (refused !== undefined) throw blockVolumeError('INVALID_ARGUMENT', refused, { nextStep: 'Correct the labels.' });
  const volume = await volumeNamed(deps, name.volume, o);
  const key = { namespace: deps.namespace, name: object };
  const there = (await readObject(deps.kube, snapshotType, key, o.signal)) ?? (await ask(deps, key, volume, labels, o));
  if (there.spec.volume !== volume.metadata.name) {
    throw blockVolumeError('SNAPSHOT_EXISTS', `snapshot ${name.snapshot} is one of volume ${there.spec.volume}`, {
      nextStep: 'Use another name.',
    });
  }
  const taken = await waiting(deps, o, {
    type: snapshotType,
    name: object,
    what: `snapshot ${name.snapshot} of volume ${name.volume} is not ready`,
    limitMs: deps.limits.snapshotMs,
    until: (snapshot, because) => (snapshot === undefined ? gone(name) : takenOr(snapshot, name, because)),
    nextStep: 'Repeat the call: it does not take a second snapshot.',
  });
  return blockSnapshotOf(name, taken);
}

const gone = ({ snapshot }: SnapshotName): never => {
  throw blockVolumeError('SNAPSHOT_NOT_FOUND', `snapshot ${snapshot} was deleted while it was taken`);
};

function takenOr(snapshot: Snapshot, name: SnapshotName, because: (cause: string) => void): Snapshot | undefined {
  if (snapshot.metadata.deletionTimestamp !== undefined || snapshot.status?.markRemoved === true) {
    throw blockVolumeError('VOLUME_BUSY', `the snapshot ${name.snapshot} before is still being deleted`, {
      nextStep: 'Repeat the call when it is gone, or take another name.',
    });
  }
  const error = snapshot.status?.error ?? '';
  if (error !== '') {
    throw blockVolumeError('NOT_POSSIBLE_NOW', `snapshot ${name.snapshot} of volume ${name.volume}: ${error}`, {
      nextStep: 'Correct the reported cause, delete the snapshot, and take it again.',
    });
  }
  because('the volume is to be attached, and its engine to take it');
  return isSeen(snapshot) ? snapshot : undefined;
}

async function ask(
  deps: EngineDeps,
  key: { namespace: string; name: string },
  volume: Volume,
  labels: Labels,
  o: Call,
): Promise<Snapshot> {
  const name = volume.metadata.name ?? '';
  try {
    return await deps.kube.create(
      snapshotType,
      {
        apiVersion: `${longhornGroup}/${longhornVersion}`,
        kind: 'Snapshot',
        metadata: { ...key, labels: { [storageLabels.volume]: name } },
        spec: { volume: name, createSnapshot: true, labels: { ...labels } },
      },
      o,
    );
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return deps.kube.get(snapshotType, key, o);
  }
}

/**
 * From then on it is hidden. Its data is merged by the manager, which may wait for another snapshot; this does not wait for that.
 */
export async function deleteSnapshotReplicated(deps: EngineDeps, name: SnapshotName, o: Call): Promise<void> {
  o.signal.throwIfAborted();
  const key = { namespace: deps.namespace, name: objectNameOf(name.snapshot) };
  const found = await readObject(deps.kube, snapshotType, key, o.signal);
  // One of another volume is none of this volume's.
  if (found === undefined || found.spec.volume !== objectNameOf(name.volume)) return;
  await deleteIfThere(deps.kube, snapshotType, found, o.signal);
}

/** By the names of their objects. */
export async function* listReplicated(deps: EngineDeps, volume: string, o: Call): AsyncGenerator<BlockSnapshot> {
  const { metadata } = await volumeNamed(deps, volume, o);
  const labelSelector = `${storageLabels.volume}=${metadata.name}`;
  const { items } = await listAll(deps.kube, snapshotType, { namespace: deps.namespace, labelSelector, ...o });
  const own = items
    .filter((snapshot) => snapshot.spec.volume === metadata.name && isSeen(snapshot))
    .map((snapshot) => blockSnapshotOf({ volume, snapshot: snapshot.metadata.name ?? '' }, snapshot));
  yield* own.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.name < b.name ? -1 : 1));
}
