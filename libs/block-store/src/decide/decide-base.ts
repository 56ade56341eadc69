import { blockBytesOf, isInProgress, type StoredBackup } from '../format/backup-config.ts';

export const backupModes = ['incremental', 'full'] as const;
export type BackupMode = (typeof backupModes)[number];

export interface BaseSeen {
  /** The newest backup of the volume; `unreadable` when its file is missing or cannot be used. */
  readonly lastBackup: StoredBackup | 'unreadable' | undefined;
  readonly mode: BackupMode;
  /** The snapshot that is backed up. */
  readonly snapshot: string;
  /** Names of the snapshots that it builds on. A snapshot of another branch is not among them: the changes since it are unknown. */
  readonly snapshots: ReadonlySet<string>;
  readonly blockBytes: number;
  readonly sizeBytes: bigint;
}

/** Why all data of the volume is read. */
export type FullBecause =
  | 'no backup before'
  | 'asked for'
  | 'the last backup cannot be read'
  | 'the last backup was not finished'
  | 'the last backup is of the same snapshot'
  | 'the snapshot of the last backup is gone'
  | 'the last backup has blocks of another size'
  | 'the volume is smaller than at the last backup';

export type BaseDecision = { readonly base: StoredBackup } | { readonly full: FullBecause };

/** The backup whose blocks are reused, except for changes since its snapshot; or why there is none. */
export function decideBase(seen: BaseSeen): BaseDecision {
  const { lastBackup } = seen;
  if (seen.mode === 'full') return { full: 'asked for' };
  if (lastBackup === undefined) return { full: 'no backup before' };
  if (lastBackup === 'unreadable') return { full: 'the last backup cannot be read' };
  if (isInProgress(lastBackup)) return { full: 'the last backup was not finished' };
  if (lastBackup.snapshotName === seen.snapshot) return { full: 'the last backup is of the same snapshot' };
  if (!seen.snapshots.has(lastBackup.snapshotName)) return { full: 'the snapshot of the last backup is gone' };
  if (blockBytesOf(lastBackup) !== seen.blockBytes) return { full: 'the last backup has blocks of another size' };
  if (endOf(lastBackup) > seen.sizeBytes) return { full: 'the volume is smaller than at the last backup' };
  return { base: lastBackup };
}

/** The end of its list: the size in its file counts blocks and is not the volume's size. */
function endOf(backup: StoredBackup): bigint {
  const { blocks } = backup;
  if (blocks.length === 0) return 0n;
  return BigInt(blocks.offsetAt(blocks.length - 1)) + BigInt(blockBytesOf(backup) ?? 0);
}
