import { eachAtOnce } from '@lateen/kernel';
import type { HeldLock } from '../lock/keep-lock.ts';
import { withLock } from '../lock/with-lock.ts';
import type { Call, StoreContext } from '../store/store-context.ts';

const deletesAtOnce = 8;
const keysAtOnce = 1_000;

/**
 * Deletes a volume with all its backups. Safe to repeat: an interrupted deletion leaves a volume without backups, or without blocks.
 * @throws BLOCK_STORE_NAME, BLOCK_STORE_LOCKED, BLOCK_STORE_LOCK_LOST, what the store throws
 */
export async function deleteVolume(context: StoreContext, volume: string, { signal }: Call): Promise<void> {
  const { folder, backups, blocks, locks } = context.paths.volume(volume);
  await withLock(context, volume, { purpose: 'backup delete', signal }, async (held) => {
    await deleteAll(context, backups, held);
    await deleteAll(context, blocks, held);
    // The locks are deleted last: ours is among them, and other clients see it until then.
    await deleteAll(context, folder, held, (key) => !key.startsWith(locks));
    await deleteAll(context, locks, held);
  });
}

async function deleteAll(
  { store }: StoreContext,
  prefix: string,
  held: HeldLock,
  isWanted: (key: string) => boolean = () => true,
): Promise<void> {
  const { signal } = held;
  for (;;) {
    const keys: string[] = [];
    for await (const { key } of store.list(prefix, { signal })) {
      if (isWanted(key)) keys.push(key);
      if (keys.length >= keysAtOnce) break;
    }
    await eachAtOnce(keys, deletesAtOnce, async (key) => {
      held.check();
      await store.delete(key, { signal });
    });
    if (keys.length < keysAtOnce) return;
  }
}
