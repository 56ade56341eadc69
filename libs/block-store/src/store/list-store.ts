import { blockHash } from '../names/block-hash.ts';
import { isListedVolume } from '../names/store-names.ts';
import { backupOfKey } from '../names/store-paths.ts';
import { cannotFind } from './read-configs.ts';
import type { Call, StoreContext } from './store-context.ts';

export interface ListedVolume {
  readonly name: string;
  /** Why it cannot be read, as Longhorn words it. */
  readonly problem?: string;
}

/** Every volume that has a folder. Three levels of listings, one after the other: the first two have 256 entries at most. */
export async function* listVolumes({ store, paths }: StoreContext, { signal }: Call): AsyncGenerator<ListedVolume> {
  for (const first of await store.listCommonPrefixes(paths.volumes, { signal })) {
    for (const second of await store.listCommonPrefixes(`${paths.volumes}${first}/`, { signal })) {
      const folder = `${paths.volumes}${first}/${second}/`;
      for (const name of await store.listCommonPrefixes(folder, { signal })) {
        if (!isListedVolume(name)) continue;
        const { config } = paths.volume(name);
        // No reader finds a volume in another folder than its name requires.
        const isThere = blockHash(name).startsWith(`${first}${second}`) && (await store.exists(config, { signal }));
        yield isThere ? { name } : { name, problem: cannotFind(config) };
      }
    }
  }
}

/** Names of a volume's backups, sorted; other files in the folder are ignored. Empty for a volume that does not exist. */
export async function* listBackups(
  { store, paths }: StoreContext,
  volume: string,
  { signal }: Call,
): AsyncGenerator<string> {
  const of = paths.volume(volume);
  for await (const { key } of store.list(of.backups, { signal })) {
    const backup = backupOfKey(of, key);
    if (backup !== undefined) yield backup;
  }
}
