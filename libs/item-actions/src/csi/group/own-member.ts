import {
  annotations,
  snapshotGroup,
  type VolumeSnapshot,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { deleteIfThere, generatedName, keyOf } from '@lateen/kube';
import { contentOnHandle, deleteSnapshot, type TakenSnapshot, waitForHandle } from '@lateen/volume-snapshots';
import type { ActionContext } from '../../contract/action-context.ts';
import type { CsiRun } from '../csi-run.ts';
import type { GroupMember } from './wait-for-group.ts';

export interface MemberToOwn {
  member: GroupMember;
  groupHandle: string;
  /** The labels of the claim and of the backup. */
  labels: Readonly<Record<string, string>>;
}

/**
 * Creates a VolumeSnapshot and a content of its own for one snapshot of a group; deleting them deletes the snapshot on the
 * storage. After a failure or an abort they are deleted, and the snapshot with them.
 * @throws the API's errors; AppError SNAPSHOT_FAILED; the signal's reason
 */
export async function ownMember(
  { member, groupHandle, labels }: MemberToOwn,
  { context, run }: { context: ActionContext; run: CsiRun },
  signal: AbortSignal,
): Promise<TakenSnapshot> {
  const { kube, random } = context;
  const namespace = member.snapshot.metadata.namespace ?? '';
  const name = generatedName(`velero-${member.claim}-`, random);
  const contentName = `snapcontent-${random.uuid()}`;
  const content = contentOnHandle(member.content, { name: contentName, snapshot: { namespace, name }, labels });
  const snapshot: VolumeSnapshot = {
    apiVersion: `${snapshotGroup}/v1`,
    kind: 'VolumeSnapshot',
    metadata: {
      name,
      namespace,
      labels: { ...labels },
      annotations: {
        [annotations.csiVolumeGroupSnapshotHandle]: groupHandle,
        [annotations.pvcName]: member.claim,
      },
    },
    spec: { source: { volumeSnapshotContentName: contentName } },
  };
  try {
    await kube.create(volumeSnapshotContentType, content, { signal });
    const made = await kube.create(volumeSnapshotType, snapshot, { signal });
    const notes = { contentName: undefined, complaint: undefined };
    return await run.sight(async (wait) => {
      const taken = await waitForHandle(made, notes, { ...context, wait, failsAtOnce: false }, signal);
      if (taken.content.status?.volumeGroupSnapshotHandle === undefined) return taken;
      // When the driver reports the group, the controller no longer updates the VolumeSnapshot once the group is deleted.
      const isReady = (seen: VolumeSnapshot | undefined) => (seen?.status?.readyToUse === true ? seen : undefined);
      return { ...taken, snapshot: await wait(keyOf(made), isReady, signal) };
    });
  } catch (error) {
    await deleteSnapshot(kube, snapshot);
    // When the two were bound, it is deleted with its VolumeSnapshot; after an earlier interruption it has to be deleted
    // directly.
    await deleteIfThere(kube, volumeSnapshotContentType, content);
    throw error;
  }
}
