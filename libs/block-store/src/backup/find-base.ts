import { isAppError } from '@lateen/errors';
import { type BaseDecision, decideBase } from '../decide/decide-base.ts';
import type { StoredBackup } from '../format/backup-config.ts';
import type { StoredVolume } from '../format/volume-config.ts';
import { readBackup } from '../store/read-configs.ts';
import type { StoreContext } from '../store/store-context.ts';
import type { BackupPlan } from './backup-plan.ts';
import type { BlockSource } from './block-source.ts';

/** The backup that this one builds on, read from the store, or why it builds on none. */
export async function baseFor(
  context: StoreContext,
  plan: BackupPlan,
  source: BlockSource,
  { lastBackupName }: StoredVolume,
  signal: AbortSignal,
): Promise<BaseDecision> {
  const isAsked = plan.mode === 'incremental' && lastBackupName !== '';
  const lastBackup = isAsked ? await lastOf(context, plan.volume, lastBackupName, signal) : undefined;
  return decideBase({ ...plan, lastBackup, sizeBytes: source.sizeBytes });
}

async function lastOf(
  context: StoreContext,
  volume: string,
  name: string,
  signal: AbortSignal,
): Promise<StoredBackup | 'unreadable'> {
  try {
    return await readBackup(context, volume, name, signal);
  } catch (err) {
    const isOfItsFile = ['BLOCK_BACKUP_NOT_FOUND', 'BLOCK_STORE_FILE', 'BLOCK_STORE_NAME'].some((code) =>
      isAppError(err, code),
    );
    if (!isOfItsFile) throw err;
    context.log.warn({ err, volume, backup: name }, 'the last backup cannot be read, so the next does not build on it');
    return 'unreadable';
  }
}
