export const volumeStates = ['creating', 'attached', 'detached', 'attaching', 'detaching', 'deleting'] as const;
/** @unchecked */
export type VolumeState = (typeof volumeStates)[number];

/** How safe the data is: healthy and degraded while attached, faulted without a usable replica, else unknown. */
export const robustnesses = ['healthy', 'degraded', 'faulted', 'unknown'] as const;
/** @unchecked */
export type Robustness = (typeof robustnesses)[number];

export const cloneStates = ['', 'initiated', 'copy-completed-awaiting-healthy', 'completed', 'failed'] as const;
/** @unchecked */
export type CloneState = (typeof cloneStates)[number];

/** Types of a Volume's conditions (longhorn.md section 2). */
export const volumeConditionTypes = [
  'Scheduled',
  'Restore',
  'TooManySnapshots',
  'WaitForBackingImage',
  'BackingImageIncompatible',
  'OfflineRebuilding',
] as const;
export type VolumeConditionType = (typeof volumeConditionTypes)[number];
