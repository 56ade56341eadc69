import { type Clock, type Random, silentLogger } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import type { BackupPlan, BackupResult } from './backup/backup-plan.ts';
import { type BlockBackupStore, blockBackupStore } from './block-backup-store.ts';
import { nativeCodec } from './codec/native-codec.ts';
import type { ModelVolume } from './model-volume.ts';
import { storePaths } from './names/store-paths.ts';

export const blockBytes = 64;
export const volumeName = 'vol';
export const paths = storePaths('').volume(volumeName);

export interface TestParts<Time extends Clock, Store extends ObjectStore> {
  clock: Time;
  memory: Store;
  random: Random;
  /** Advances time until the work has ended. */
  pass<T>(work: Promise<T>): Promise<T>;
}

/** A backup store with small blocks, for tests. */
export function storeUnderTest<Time extends Clock, Store extends ObjectStore>(parts: TestParts<Time, Store>) {
  const { clock, memory, random, pass } = parts;
  const blockSizes = [blockBytes, 2 * blockBytes];
  const client = (store: ObjectStore = memory): BlockBackupStore =>
    blockBackupStore({ store, path: '', clock, random, log: silentLogger, codec: nativeCodec, blockSizes });
  const { signal } = new AbortController();
  const backup = async (
    volume: ModelVolume,
    snapshot: string,
    change: Partial<BackupPlan> = {},
    store = client(),
  ): Promise<BackupResult> => {
    const plan = { ...planOf(snapshot, volume.before(snapshot)), ...change };
    return await pass(store.backup(volume.source(snapshot), plan, { signal }));
  };
  return { clock, memory, random, client, signal, pass, backup };
}

export const planOf = (snapshot: string, snapshots: ReadonlySet<string>): BackupPlan => ({
  volume: volumeName,
  backup: `backup-${snapshot}`,
  snapshot,
  snapshots,
  mode: 'incremental',
  blockBytes,
  compressionMethod: 'none',
  labels: { b: '2', a: '1' },
  storageClassName: 'longhorn',
});
