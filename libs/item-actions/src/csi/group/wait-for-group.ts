import {
  type VolumeGroupSnapshot,
  type VolumeGroupSnapshotContent,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeGroupSnapshotContentType,
  volumeGroupSnapshotType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError, plainLine } from '@lateen/errors';
import { isOwnedBy, keyOf, keyText, listAll, readObject } from '@lateen/kube';
import { reflect } from '@lateen/kube-runtime';
import type { ActionContext } from '../../contract/action-context.ts';

/** The snapshot of one claim, as a member of the group. */
export interface GroupMember {
  claim: string;
  snapshot: VolumeSnapshot;
  content: VolumeSnapshotContent;
}

export interface TakenGroup {
  group: VolumeGroupSnapshot;
  content: VolumeGroupSnapshotContent;
  handle: string;
  members: GroupMember[];
}

export interface GroupNotes {
  /** The last error of the controller or driver. */
  complaint: string | undefined;
}

/** If a change is missed, the group is read again at about this interval. */
const lookAgainMs = 15_000;

/**
 * Waits until the driver has taken the group and the controller has created a VolumeSnapshot for each member. This involves
 * objects of four kinds: each change of the group or of a VolumeSnapshot in its namespace makes it read all of them.
 * @throws AppError GROUP_SNAPSHOT_FAILED when the group is deleted; the signal's reason
 */
export async function waitForGroup(
  made: VolumeGroupSnapshot,
  notes: GroupNotes,
  context: ActionContext,
  signal: AbortSignal,
): Promise<TakenGroup> {
  const { clock, random } = context;
  const watching = new AbortController();
  const changes = watchAround(made, context, AbortSignal.any([signal, watching.signal]));
  try {
    for (;;) {
      const next = changes.next();
      const taken = await lookAt(made, notes, context, signal);
      if (taken !== undefined) return taken;
      const waited = new AbortController();
      const sleep = clock.sleep(lookAgainMs * (1 + random.next()), AbortSignal.any([signal, waited.signal]));
      await Promise.race([next, sleep]).finally(() => waited.abort());
    }
  } finally {
    watching.abort();
    await changes.ended;
  }
}

/** `next()` resolves with the next change of the group or of a VolumeSnapshot of its namespace. */
function watchAround(made: VolumeGroupSnapshot, { kube, clock, random, log }: ActionContext, signal: AbortSignal) {
  const { namespace, name } = made.metadata;
  let bell = Promise.withResolvers<void>();
  const ring = () => {
    bell.resolve();
    bell = Promise.withResolvers();
  };
  const ports = { api: kube, clock, random, log, namespace };
  const sink = { replace: ring, apply: ring };
  const ended = Promise.all([
    reflect({ ...ports, type: volumeGroupSnapshotType, fieldSelector: `metadata.name=${name}` }, sink, signal),
    reflect({ ...ports, type: volumeSnapshotType }, sink, signal),
  ]);
  return { next: () => bell.promise, ended };
}

async function lookAt(
  made: VolumeGroupSnapshot,
  notes: GroupNotes,
  { kube }: ActionContext,
  signal: AbortSignal,
): Promise<TakenGroup | undefined> {
  const group = await readObject(kube, volumeGroupSnapshotType, keyOf(made), signal);
  if (group === undefined || group.metadata.uid !== made.metadata.uid)
    throw new AppError(
      'GROUP_SNAPSHOT_FAILED',
      `VolumeGroupSnapshot ${keyText(keyOf(made))} was deleted while it was being taken`,
    );
  hear(group.status?.error?.message, notes);
  const name = group.status?.boundVolumeGroupSnapshotContentName ?? '';
  const content = await readObject(kube, volumeGroupSnapshotContentType, { name }, signal);
  hear(content?.status?.error?.message, notes);
  const handle = content?.status?.volumeGroupSnapshotHandle ?? '';
  const parts = content?.status?.volumeSnapshotInfoList?.length ?? 0;
  if (content === undefined || handle === '' || parts === 0) return undefined;
  const members = await membersOf(group, { kube }, signal);
  return members.length < parts ? undefined : { group, content, handle, members };
}

async function membersOf(
  group: VolumeGroupSnapshot,
  { kube }: Pick<ActionContext, 'kube'>,
  signal: AbortSignal,
): Promise<GroupMember[]> {
  const { items } = await listAll(kube, volumeSnapshotType, { namespace: group.metadata.namespace, signal });
  const owned = items.filter((snapshot) => isOwnedBy(snapshot, group));
  const members = await Promise.all(
    owned.map(async (snapshot) => {
      const name = snapshot.status?.boundVolumeSnapshotContentName ?? '';
      const content = await readObject(kube, volumeSnapshotContentType, { name }, signal);
      const claim = snapshot.spec.source.persistentVolumeClaimName ?? '';
      return content?.status?.snapshotHandle ? [{ claim, snapshot, content }] : [];
    }),
  );
  return members.flat();
}

function hear(complaint: string | undefined, notes: GroupNotes): void {
  if (complaint !== undefined && complaint !== '') notes.complaint = plainLine(complaint);
}
