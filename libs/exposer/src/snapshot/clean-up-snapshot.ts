import { type VolumeSnapshotContent, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { deleteIfThere, type KubeApi, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { hostingLeftovers } from '../api/clean-up-hosting.ts';
import { copiedLeftovers } from '../api/copied-objects.ts';
import { belongsTo, deleteOwned } from '../api/owned-object.ts';
import { takeAwayAll } from '../api/take-away-all.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import type { CopiedNames } from '../settings/copied-names.ts';
import { isSource, readTakenOverFrom, type TakenOverFrom } from '../specs/taken-over-from.ts';
import { keepAsBase } from './keep-base.ts';

/** The claim whose next upload uses the snapshot as its base, and what was stored of it. */
type Base = Pick<Parameters<typeof keepAsBase>[2], 'claim' | 'upload'>;

/**
 * Deletes everything that {@link exposeSnapshot} made for this owner, in the order pod, claim, source
 * snapshot, snapshot, so that nothing is deleted under what still needs it. Safe to repeat and to call when nothing was made.
 * Returns when the API has accepted the deletes; the snapshot on the storage goes with our VolumeSnapshotContent.
 * With `base` the snapshot stays, if it can be compared with the next one (docs/adr/0081).
 * On abort: stops between deletes and leaves the rest for the next call.
 * @throws CLEAN_UP_INCOMPLETE when everything has been tried and something refuses
 */
export async function cleanUpSnapshot(
  ports: ExposerPorts,
  owner: ExposeOwner,
  source: ObjectKey,
  { signal, copied = {}, base }: ExposeOptions & { copied?: CopiedNames; base?: Base | undefined },
): Promise<void> {
  const { kube } = ports;
  const ours = once(() => readOurs(kube, owner, signal));
  const leftovers = [
    ...hostingLeftovers(kube, owner, signal),
    {
      what: `VolumeSnapshot ${keyText(source)}`,
      takeAway: async () => await cleanUpSource(kube, owner, source, await ours(), signal),
    },
    {
      what: 'the snapshot that was taken over',
      takeAway: async () => {
        const isKept = base !== undefined && (await keepAsBase(ports, owner, { ...base, ours: await ours() }, signal));
        await cleanUpTakenOver(kube, owner, { ours: await ours(), isKept }, signal);
      },
    },
    ...copiedLeftovers(kube, owner, copied, signal),
  ];
  await takeAwayAll(owner, leftovers, signal);
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read());
}

async function readOurs(
  kube: KubeApi,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<VolumeSnapshotContent | undefined> {
  const content = await readObject(kube, volumeSnapshotContentType, { name: owner.name }, signal);
  return content !== undefined && belongsTo(content, owner) ? content : undefined;
}

/** The source snapshot was made for this upload only; it is deleted after any end (data-movement.md section 4). */
async function cleanUpSource(
  kube: KubeApi,
  owner: ExposeOwner,
  key: ObjectKey,
  ours: VolumeSnapshotContent | undefined,
  signal: AbortSignal,
): Promise<void> {
  const snapshot = await readObject(kube, volumeSnapshotType, key, signal);
  if (snapshot === undefined || !isSource(snapshot, readTakenOverFrom(ours)?.snapshotUid, owner)) return;
  await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
}

/**
 * Our objects are deleted last: only they name the source's content, and the next call needs them to continue after an
 * interruption.
 */
async function cleanUpTakenOver(
  kube: KubeApi,
  owner: ExposeOwner,
  { ours, isKept }: { ours: VolumeSnapshotContent | undefined; isKept: boolean },
  signal: AbortSignal,
): Promise<void> {
  const from = readTakenOverFrom(ours);
  if (from !== undefined) await cleanUpSourceContent(kube, owner, from, signal);
  if (isKept) return;
  await deleteOwned(kube, volumeSnapshotType, { namespace: owner.namespace, name: owner.name }, owner, signal);
  // When the two were bound, it is deleted with its VolumeSnapshot; after an earlier interruption it has to be deleted directly.
  if (ours !== undefined) await deleteIfThere(kube, volumeSnapshotContentType, ours, signal);
}

/** We set this content to Retain; without this deletion it would stay behind for a snapshot that no longer exists. */
async function cleanUpSourceContent(
  kube: KubeApi,
  owner: ExposeOwner,
  { content: name, contentUid }: TakenOverFrom,
  signal: AbortSignal,
): Promise<void> {
  const content = await readObject(kube, volumeSnapshotContentType, { name }, signal);
  if (content?.spec.deletionPolicy !== 'Retain' || !isSource(content, contentUid, owner)) return;
  await deleteIfThere(kube, volumeSnapshotContentType, content, signal);
}
