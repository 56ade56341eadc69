import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@lateen/api-types';
import { compareQuantities, parseQuantity } from '@lateen/kube';

/** An existing claim, and its counterpart in the backup. */
export interface ExistingSeen {
  claim: PersistentVolumeClaim;
  volume: PersistentVolume | undefined;
  /** Pods of its namespace that use it and have not ended. */
  users: readonly Pod[];
  stored: PersistentVolumeClaim;
  storedVolume: PersistentVolume | undefined;
  /** It is restored into another namespace than it was backed up from. */
  isMapped: boolean;
}

/** Why data must not be written into the volume, and the next step. */
export interface Unfit {
  message: string;
  nextStep: string;
}

type Check = (seen: ExistingSeen) => Unfit | undefined;

const isBound: Check = ({ claim, volume }) =>
  volume !== undefined && volume.spec.claimRef?.uid === claim.metadata.uid
    ? undefined
    : { message: 'it has no volume', nextStep: 'Delete the claim: its data is then restored into a new volume.' };

const isUnused: Check = ({ users }) => {
  const [first, ...others] = users;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    message: `pod ${first.metadata.name}${more} uses it`,
    nextStep: 'Stop the workload, or have the restore do it with --scale-workloads.',
  };
};

/** A claim with another name cannot have the same volume. */
const isSameVolume: Check = ({ claim, stored, isMapped }) =>
  isMapped || claim.spec.volumeName === stored.spec.volumeName
    ? undefined
    : {
        message: `it has volume ${claim.spec.volumeName}, and had ${stored.spec.volumeName || 'none'} when it was backed up`,
        nextStep: 'Delete the claim: its data is then restored into a new volume. Or restore into another namespace.',
      };

const isLargeEnough: Check = ({ volume, stored, storedVolume }) => {
  const before = storedVolume?.spec.capacity?.storage ?? stored.status?.capacity?.storage ?? '';
  const now = volume?.spec.capacity?.storage ?? '';
  const [had, has] = [parseQuantity(before), parseQuantity(now)];
  if (had === undefined || has === undefined || compareQuantities(has, had) >= 0) return undefined;
  return {
    message: `its volume has ${now}, and had ${before} when it was backed up`,
    nextStep: 'Expand the claim, and restore again.',
  };
};

const isOfSameMode: Check = ({ claim, stored }) => {
  const [now, before] = [claim.spec.volumeMode ?? 'Filesystem', stored.spec.volumeMode ?? 'Filesystem'];
  if (now === before) return undefined;
  return {
    message: `its volumeMode is ${now}, and was ${before} when it was backed up`,
    nextStep: 'Delete the claim: its data is then restored into a new volume.',
  };
};

const checks: readonly Check[] = [isBound, isSameVolume, isOfSameMode, isLargeEnough, isUnused];

/** The first problem, in the order in which a user would fix them. Pure. */
export function whyUnfit(seen: ExistingSeen): Unfit | undefined {
  for (const check of checks) {
    const unfit = check(seen);
    if (unfit !== undefined) return unfit;
  }
  return undefined;
}
