import { isAppError } from '@lateen/errors';
import { eachAtOnce } from '@lateen/kernel';
import { decideCollection, type KeptBecause } from '../decide/decide-collection.ts';
import type { StoredVolume } from '../format/volume-config.ts';
import type { HeldLock } from '../lock/keep-lock.ts';
import { withLock } from '../lock/with-lock.ts';
import { checkStoreName } from '../names/store-names.ts';
import { blockOfKey } from '../names/store-paths.ts';
import { listBackups } from '../store/list-store.ts';
import { findVolume, writeVolume } from '../store/read-configs.ts';
import type { Call, StoreContext } from '../store/store-context.ts';
import { countReferences, type References } from './count-references.ts';

export interface DeletionResult {
  readonly deletedBlocks: number;
  /** Bytes as stored. */
  readonly freedBytes: number;
  /** Why no block was deleted, if that is so; a later deletion deletes them. */
  readonly kept: KeptBecause | undefined;
}

export interface CollectionLimits {
  /** Limit of different blocks that are counted: a million take 27 MB of memory. */
  readonly blocksNamedMax: number;
  /** Blocks that are collected before they are deleted; then the search continues. A million take 32 MB. */
  readonly foundMax: number;
}

export const collectionLimits: CollectionLimits = { blocksNamedMax: 8_000_000, foundMax: 500_000 };
const deletesAtOnce = 8;

/**
 * Deletes a backup, also one whose file is unreadable or missing, and then the blocks that no remaining backup names. In doubt every block is kept:
 * `kept` says why.
 * @throws BLOCK_STORE_NAME, BLOCK_STORE_LOCKED, BLOCK_STORE_LOCK_LOST, what the store throws
 */
export async function deleteBackup(
  context: StoreContext,
  { volume, backup }: { volume: string; backup: string },
  { signal }: Call,
  limits: CollectionLimits = collectionLimits,
): Promise<DeletionResult> {
  checkStoreName('backup', backup);
  return await withLock(context, volume, { purpose: 'backup delete', signal }, async (held) => {
    const key = context.paths.volume(volume).backup(backup);
    held.check();
    await context.store.delete(key, { signal: held.signal });
    await endAbandoned(context, key, held.signal);
    const config = await clearedVolume(context, volume, backup, held.signal);
    if (config === 'unreadable') return keptBecause({ reason: 'volume-unreadable', volume });
    return await collect(context, volume, config, held, limits);
  });
}

/** Removes what a client left when it died while it wrote a long list. Best effort: it needs a permission that the key may not have. */
async function endAbandoned({ store, log }: StoreContext, key: string, signal: AbortSignal): Promise<void> {
  await store.endAbandonedWrites(key, { signal }).catch((err: unknown) => {
    signal.throwIfAborted();
    log.debug({ err, key }, 'parts of a file that was never finished could not be looked for');
  });
}

/** The volume without the backup as its last one. Undefined when the volume does not exist. */
async function clearedVolume(
  context: StoreContext,
  volume: string,
  backup: string,
  signal: AbortSignal,
): Promise<StoredVolume | 'unreadable' | undefined> {
  const found = await findVolume(context, volume, signal).catch((error: unknown) => {
    if (isAppError(error, 'BLOCK_STORE_FILE')) return 'unreadable' as const;
    throw error;
  });
  if (found === undefined || found === 'unreadable' || found.lastBackupName !== backup) return found;
  const cleared = { ...found, lastBackupName: '', lastBackupAt: '' };
  await writeVolume(context, cleared, signal);
  return cleared;
}

async function collect(
  context: StoreContext,
  volume: string,
  config: StoredVolume | undefined,
  held: HeldLock,
  limits: CollectionLimits,
): Promise<DeletionResult> {
  const { signal } = held;
  const references = await countReferences(context, volume, { blocksMax: limits.blocksNamedMax, signal });
  let [deletedBlocks, freedBytes] = [0, 0];
  for (;;) {
    const found = await unreferencedBlocks(context, volume, references, limits, signal);
    const listedAgain = await Array.fromAsync(listBackups(context, volume, { signal }));
    const seen = { blocksNamed: references.blocks.size, blocksNamedMax: limits.blocksNamedMax };
    const decision = decideCollection({ ...references, listedAgain, ...seen });
    if (decision !== 'collect') return { ...keptBecause(decision), deletedBlocks, freedBytes };
    await noteInVolume(context, config, references, found, signal);
    await eachAtOnce(found.keys, deletesAtOnce, async (key) => {
      held.check();
      await context.store.delete(key, { signal });
    });
    deletedBlocks += found.keys.length;
    freedBytes += found.bytes;
    if (!found.isMore) return { deletedBlocks, freedBytes, kept: undefined };
  }
}

const keptBecause = (kept: KeptBecause): DeletionResult => ({ deletedBlocks: 0, freedBytes: 0, kept });

interface Found {
  readonly keys: readonly string[];
  readonly bytes: number;
  /** Stored blocks that a backup names. */
  readonly inUse: number;
  /** There were more than are held at once. */
  readonly isMore: boolean;
}

async function unreferencedBlocks(
  { store, paths }: StoreContext,
  volume: string,
  { blocks }: References,
  { foundMax }: CollectionLimits,
  signal: AbortSignal,
): Promise<Found> {
  const of = paths.volume(volume);
  const keys: string[] = [];
  let [bytes, inUse, isMore] = [0, 0, false];
  for await (const { key, sizeBytes } of store.list(of.blocks, { signal })) {
    const hash = blockOfKey(of, key);
    // Other files there are not ours to delete.
    if (hash === undefined) continue;
    if (blocks.has(Buffer.from(hash, 'hex'))) inUse++;
    else if (keys.length >= foundMax) isMore = true;
    else {
      keys.push(key);
      bytes += sizeBytes;
    }
  }
  return { keys, bytes, inUse, isMore };
}

async function noteInVolume(
  context: StoreContext,
  config: StoredVolume | undefined,
  { newest }: References,
  { inUse }: Found,
  signal: AbortSignal,
): Promise<void> {
  if (config === undefined) return;
  const isLastGone = config.lastBackupName === '';
  const last = isLastGone ? { lastBackupName: newest?.name ?? '', lastBackupAt: newest?.snapshotCreatedAt ?? '' } : {};
  await writeVolume(context, { ...config, ...last, blockCount: BigInt(inUse) }, signal);
}
