import {
  type Backup,
  type KubeObject,
  labels,
  type ResourceType,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { semaphore } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText, listIfServed, readObject } from '@lateen/kube';
import { isOf, selectorOf } from './backup-labels.ts';

/** Snapshots that are processed at the same time: each costs a few writes. */
const atOnce = 16;

/** The most names in one message: the first few show the cause. */
const namedMax = 5;

/** A VolumeSnapshot with its content, or what is left of the two. */
export interface SnapshotPair {
  snapshot?: VolumeSnapshot | undefined;
  content?: VolumeSnapshotContent | undefined;
}

/**
 * The snapshots that were made for exactly this backup; those that a restore created from it now belong to users. A content whose
 * VolumeSnapshot is deleted already is found by its label. A cluster without the CRDs has none.
 */
export async function snapshotsOfBackup(kube: KubeApi, backup: Backup, signal: AbortSignal): Promise<SnapshotPair[]> {
  const [snapshots, contents] = await Promise.all([
    madeFor(kube, volumeSnapshotType, backup, signal),
    madeFor(kube, volumeSnapshotContentType, backup, signal),
  ]);
  const bound = new Set(snapshots.map(({ status }) => status?.boundVolumeSnapshotContentName));
  const alone = contents.filter(({ metadata }) => !bound.has(metadata.name));
  return [...snapshots.map((snapshot) => ({ snapshot })), ...alone.map((content) => ({ content }))];
}

/** The objects of a kind that were made for exactly this backup; none when the cluster does not know the kind. */
export async function madeFor<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  backup: Backup,
  signal: AbortSignal,
): Promise<T[]> {
  const items = await listIfServed(kube, type, { labelSelector: selectorOf(backup), signal });
  return items.filter((each) => isOf(each, backup) && each.metadata.labels?.[labels.restoreName] === undefined);
}

/** The present content; undefined when there is none. */
export async function contentOf(
  { snapshot, content }: SnapshotPair,
  kube: KubeApi,
  signal: AbortSignal,
): Promise<VolumeSnapshotContent | undefined> {
  const name = content?.metadata.name ?? snapshot?.status?.boundVolumeSnapshotContentName ?? '';
  return await readObject(kube, volumeSnapshotContentType, { name }, signal);
}

/**
 * Runs a step for each snapshot, several at a time, and continues after failures.
 * @throws AppError SNAPSHOTS_REMAIN naming the first few that failed, and why; the signal's reason
 */
export async function withEach(
  pairs: readonly SnapshotPair[],
  act: (pair: SnapshotPair) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const full = () => new AppError('SNAPSHOTS_TOO_MANY', 'more snapshots than there are');
  const places = semaphore({ placesMax: atOnce, waitingMax: pairs.length, full });
  const failures: string[] = [];
  const turn = async (pair: SnapshotPair) => {
    const leave = await places.take(signal);
    try {
      await act(pair);
    } catch (error) {
      if (!signal.aborted) failures.push(`${nameOf(pair)}: ${describeError(error)}`);
    } finally {
      leave();
    }
  };
  await Promise.allSettled(pairs.map(turn));
  signal.throwIfAborted();
  if (failures.length === 0) return;
  const more = failures.length > namedMax ? `; and ${failures.length - namedMax} more` : '';
  throw new AppError(
    'SNAPSHOTS_REMAIN',
    `${failures.length} of ${pairs.length} snapshots of the backup are as they were: ${failures.slice(0, namedMax).join('; ')}${more}`,
    { retry: 'later' },
  );
}

const nameOf = ({ snapshot, content }: SnapshotPair): string =>
  snapshot === undefined
    ? `VolumeSnapshotContent ${content?.metadata.name}`
    : `VolumeSnapshot ${keyText(keyOf(snapshot))}`;
