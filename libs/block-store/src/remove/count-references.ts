import { describeError, isAppError } from '@lateen/errors';
import { HashSet } from '../decide/hash-set.ts';
import { isInProgress } from '../format/backup-config.ts';
import { listBackups } from '../store/list-store.ts';
import { readBackup } from '../store/read-configs.ts';
import type { StoreContext } from '../store/store-context.ts';

export interface References {
  readonly listed: readonly string[];
  readonly unreadable: readonly { readonly name: string; readonly why: string }[];
  readonly inProgress: readonly string[];
  /** Every block that a backup names. */
  readonly blocks: HashSet;
  /** The newest by the time of its snapshot. */
  readonly newest: { readonly name: string; readonly snapshotCreatedAt: string } | undefined;
}

/** Reads every backup of the volume, one after the other. Stops at the first one that keeps all blocks from being deleted. */
export async function countReferences(
  context: StoreContext,
  volume: string,
  { blocksMax, signal }: { blocksMax: number; signal: AbortSignal },
): Promise<References> {
  const listed = await Array.fromAsync(listBackups(context, volume, { signal }));
  const blocks = new HashSet();
  let newest: References['newest'];
  const give = (found: Partial<References> = {}): References => ({
    listed,
    unreadable: [],
    inProgress: [],
    blocks,
    newest,
    ...found,
  });
  for (const name of listed) {
    const read = await readBackup(context, volume, name, signal).catch((error: unknown) => {
      // If it was deleted since it was listed, the second list shows it.
      if (isAppError(error, 'BLOCK_STORE_FILE') || isAppError(error, 'BLOCK_BACKUP_NOT_FOUND')) return error;
      throw error;
    });
    if (isAppError(read)) return give({ unreadable: [{ name, why: describeError(read) }] });
    if (isInProgress(read)) return give({ inProgress: [name] });
    for (let at = 0; at < read.blocks.length; at++) blocks.add(read.blocks.hashAt(at));
    if (newest === undefined || read.snapshotCreatedAt >= newest.snapshotCreatedAt) newest = read;
    if (blocks.size > blocksMax) return give();
  }
  return give();
}
