import { int64Of, type VolumeSpec, type VolumeState } from '@lateen/storage-types';
import { type Check, firstRefusal } from './check.ts';
import {
  accessModeIsKnown,
  dataLocalityIsKnown,
  replicaCountIsInRange,
  sizeRefusal,
  snapshotMaxCountIsInRange,
  snapshotMaxSizeIsEnough,
  strictLocalHasOneReplica,
} from './new-volume.ts';
import { checkSizeChange } from './volume-actions.ts';

export interface VolumeUpdateSeen {
  readonly name: string;
  readonly state: VolumeState;
  readonly before: VolumeSpec;
  readonly after: VolumeSpec;
}
type UpdateCheck = Check<VolumeUpdateSeen>;

/** For the action only; an update of the object is allowed in any state. */
export const checkReplicaCountState = (state: VolumeState): string | undefined =>
  state === 'attached' ? undefined : 'invalid volume state to update replica count';

export const accessModeOnlyWhileDetached: UpdateCheck = ({ state, before, after }) =>
  state !== 'detached' && (before.accessMode ?? 'rwo') !== (after.accessMode ?? 'rwo')
    ? 'can only update volume access mode while volume is detached'
    : undefined;

const keeps =
  (words: string, field: 'backupCompressionMethod' | 'dataEngine' | 'backupBlockSize'): UpdateCheck =>
  ({ name, before, after }) =>
    before[field] === undefined || before[field] === after[field]
      ? undefined
      : `changing ${words} for volume ${name} is not supported`;

/** A size that was not a number before may become any size; an equal size is not a change. */
export const neverSmaller: UpdateCheck = ({ name, before, after }) => {
  if (before.size === after.size) return undefined;
  const to = int64Of(after.size ?? '0');
  return to === undefined ? sizeRefusal(after.size) : checkSizeChange(name, int64Of(before.size) ?? 0n, to);
};

const asNew =
  (
    check: (seen: {
      name: string;
      spec: VolumeSpec;
      nodeTags: Set<string>;
      diskTags: Set<string>;
    }) => string | undefined,
  ): UpdateCheck =>
  ({ name, after }) =>
    check({ name, spec: after, nodeTags: new Set(), diskTags: new Set() });

export const volumeUpdateChecks: readonly UpdateCheck[] = [
  keeps('backup compression method', 'backupCompressionMethod'),
  keeps('data engine', 'dataEngine'),
  keeps('backup block size', 'backupBlockSize'),
  accessModeOnlyWhileDetached,
  neverSmaller,
  asNew(replicaCountIsInRange),
  asNew(dataLocalityIsKnown),
  asNew(accessModeIsKnown),
  asNew(strictLocalHasOneReplica),
  asNew(snapshotMaxCountIsInRange),
  asNew(snapshotMaxSizeIsEnough),
];

/** Why a change of a volume's spec is refused. */
export const checkVolumeUpdate = (seen: VolumeUpdateSeen) => firstRefusal(volumeUpdateChecks, seen);
