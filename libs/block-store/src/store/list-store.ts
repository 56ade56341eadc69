import { blockHash } from '../names/block-hash.ts';
import { isListedVolume } from '../names/store-names.ts';
import { backupOfKey } from '../names/store-paths.ts';
import { cannotFind } from './read-configs.ts';
import type { Call, StoreContext } from './store-context.ts';

export interface ListedVolume {
  readonly name: string;
  /** Why it cannot be read, in the words of Longhorn. */
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
        // One that lies elsewhere than its name says is found by no reader.
        const isThere = blockHash(name).startsWith(`${first}${second}`) && (await store.exists(config, { signal }));
        yield isThere ? { name } : { name, problem: cannotFind(config) };
      }
    }
  }
}

/** Names of the backups of a volume in their order; other files in the folder are none. Empty for a volume that is not there. */
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
