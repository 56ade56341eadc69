import {
  annotations,
  type PersistentVolumeClaim,
  perDriver,
  persistentVolumeClaimType,
  type VolumeGroupSnapshot,
  volumeGroupSnapshotClassType,
  volumeGroupSnapshotType,
} from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { createGenerated, listAll } from '@lateen/kube';
import { chooseClass, deleteSnapshot, groupSnapshotClassKind, type TakenSnapshot } from '@lateen/volume-snapshots';
import type { ActionContext } from '../../contract/action-context.ts';
import type { VolumeGroup } from '../../group-label.ts';
import { labelsOf } from '../backup-labels.ts';
import { storageOf } from '../claim-storage.ts';
import type { CsiRun } from '../csi-run.ts';
import { deleteGroup, retainGroup, retireGroup } from './end-group.ts';
import { ownMember } from './own-member.ts';
import { type GroupNotes, type TakenGroup, waitForGroup } from './wait-for-group.ts';

export interface GroupParts {
  context: ActionContext;
  run: CsiRun;
}

/**
 * Snapshots all claims of a group at one point in time, and separates the snapshots from the group: each gets a VolumeSnapshot
 * and a content of its own, and the group's objects are deleted (docs/adr/0028). Keyed by claim. Leaves nothing behind after a
 * failure, a timeout or an abort.
 * @throws AppError GROUP_SNAPSHOT_UNSUPPORTED | GROUP_SNAPSHOT_DRIVERS | GROUP_SNAPSHOT_TIMEOUT | GROUP_SNAPSHOT_FAILED,
 * SNAPSHOT_CLASS_…
 */
export async function takeGroupSnapshot(
  group: VolumeGroup,
  first: PersistentVolumeClaim,
  { context, run }: GroupParts,
  signal: AbortSignal,
): Promise<Map<string, TakenSnapshot>> {
  const { clock, kube } = context;
  const { namespace, key, value } = group;
  const { items: claims } = await listAll(kube, persistentVolumeClaimType, {
    namespace,
    labelSelector: `${key}=${value}`,
    signal,
  });
  const made = await create(group, { first, claims }, { context, run }, signal);
  const deadline = clock.deadline(run.timeoutMs);
  const within = AbortSignal.any([signal, deadline]);
  const notes: GroupNotes = { complaint: undefined };
  const own = new Map<string, TakenSnapshot>();
  let taken: TakenGroup | undefined;
  try {
    taken = await waitForGroup(made, notes, context, within);
    taken = await retainGroup(taken, context, within);
    await ownAll(taken, claims, own, { context, run }, within);
    await leaveGroup(taken, { context, run }, signal);
    return own;
  } catch (error) {
    for (const { snapshot } of own.values()) await deleteSnapshot(kube, snapshot);
    await deleteGroup(made, context, taken);
    if (!deadline.aborted || signal.aborted) throw error;
    const words = notes.complaint === undefined ? '' : `: ${notes.complaint}`;
    throw new AppError(
      'GROUP_SNAPSHOT_TIMEOUT',
      `the snapshot of the volume group ${key}=${value} in ${namespace} was not taken after ${durationText(run.timeoutMs)}${words}`,
      {
        cause: error,
        nextStep: 'Check the logs of the snapshot controller and of the driver, which must support group snapshots.',
      },
    );
  }
}

/** All members at once: a workload has only a few volumes. @throws the first failure, when all have ended */
async function ownAll(
  { members, handle }: TakenGroup,
  claims: readonly PersistentVolumeClaim[],
  own: Map<string, TakenSnapshot>,
  parts: GroupParts,
  signal: AbortSignal,
): Promise<void> {
  const ofBackup = labelsOf(parts.context.backup);
  const endings = await Promise.allSettled(
    members.map(async (member) => {
      const claim = claims.find(({ metadata }) => metadata.name === member.claim);
      const labels = { ...claim?.metadata.labels, ...ofBackup };
      own.set(member.claim, await ownMember({ member, groupHandle: handle, labels }, parts, signal));
    }),
  );
  const failure = endings.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}

/** The snapshots are safe at this point: a group object that cannot be deleted is logged, and fails nothing. */
async function leaveGroup(taken: TakenGroup, { context, run }: GroupParts, signal: AbortSignal): Promise<void> {
  try {
    await retireGroup(taken, context, { timeoutMs: run.timeoutMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    const { namespace, name } = taken.group.metadata;
    const fields = { resource: 'volumegroupsnapshots.groupsnapshot.storage.k8s.io', namespace, name };
    context.log.error(
      { ...fields, err: error },
      'the snapshots of a volume group were taken, but its objects cannot be deleted',
    );
  }
}

async function create(
  group: VolumeGroup,
  { first, claims }: { first: PersistentVolumeClaim; claims: readonly PersistentVolumeClaim[] },
  { context, run }: GroupParts,
  signal: AbortSignal,
): Promise<VolumeGroupSnapshot> {
  const { kube, backup } = context;
  const { namespace, key, value } = group;
  try {
    const driver = await driverOf(group, claims, run, signal);
    const { items: classes } = await listAll(kube, volumeGroupSnapshotClassType, { signal });
    const named =
      first.metadata.annotations?.[annotations.csiVolumeGroupSnapshotClassOfClaim] ??
      backup.metadata.annotations?.[perDriver(annotations.csiVolumeGroupSnapshotClassOfBackup, driver)];
    const chosen = chooseClass(groupSnapshotClassKind, driver, classes, named);
    const object: VolumeGroupSnapshot = {
      apiVersion: `${volumeGroupSnapshotType.group}/${volumeGroupSnapshotType.version}`,
      kind: 'VolumeGroupSnapshot',
      metadata: { generateName: `velero-${asName(value)}-`, namespace, labels: labelsOf(backup) },
      spec: {
        volumeGroupSnapshotClassName: chosen.metadata.name ?? '',
        source: { selector: { matchLabels: { [key]: value } } },
      },
    };
    return await createGenerated(context, volumeGroupSnapshotType, object, signal);
  } catch (error) {
    if (!isAppError(error, 'KUBE_NOT_FOUND')) throw error;
    throw new AppError(
      'GROUP_SNAPSHOT_UNSUPPORTED',
      `PersistentVolumeClaims with the label ${key} are snapshotted together, and this cluster does not serve groupsnapshot.storage.k8s.io/v1beta2`,
      {
        cause: error,
        nextStep: `Install the CRDs of group snapshots and enable them in the snapshot controller, or remove the label ${key}.`,
      },
    );
  }
}

/** One driver takes the snapshot of a group. @throws AppError GROUP_SNAPSHOT_DRIVERS naming them */
async function driverOf(
  { namespace, key, value }: VolumeGroup,
  claims: readonly PersistentVolumeClaim[],
  run: CsiRun,
  signal: AbortSignal,
): Promise<string> {
  const storages = await Promise.all(claims.map((claim) => storageOf(claim, run, signal)));
  const [driver, ...others] = new Set(storages.map((storage) => storage.driver));
  if (driver !== undefined && others.length === 0) return driver;
  throw new AppError(
    'GROUP_SNAPSHOT_DRIVERS',
    `the claims of the volume group ${key}=${value} in ${namespace} are of different drivers: ${[driver, ...others].join(', ')}`,
    { nextStep: `Give the label ${key} another value for the claims of each driver.` },
  );
}

/** A label's value in the form of an object's name. */
const asName = (value: string): string =>
  value
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .replace(/\.(?=[-.])|(?<=-)\./g, '-');
