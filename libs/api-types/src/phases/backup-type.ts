/** What a backup moves of each volume (after-1.18.1.md 1B). */
export const backupTypes = ['Full', 'Incremental'] as const;

export type BackupType = (typeof backupTypes)[number];

/** `spec.parentSnapshot` of a movement that names no snapshot (after-1.18.1.md 1B); an empty one means `auto`. */
export const parentSnapshotValues = { auto: 'auto', none: 'none' } as const;

/** The type that a person has written, in any case; undefined for another word. */
export const readBackupType = (text: string): BackupType | undefined =>
  backupTypes.find((type) => type.toLowerCase() === text.toLowerCase());

/** What a movement of a backup says in its `parentSnapshot`; nothing when the backup says no type. */
export function parentSnapshotOf(backupType: BackupType | undefined): { parentSnapshot?: string } {
  if (backupType === undefined) return {};
  return { parentSnapshot: backupType === 'Full' ? parentSnapshotValues.none : parentSnapshotValues.auto };
}
