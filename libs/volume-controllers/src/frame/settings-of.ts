import type { Informer } from '@lateen/kube-runtime';
import type { Setting } from '@lateen/storage-types';
import { readSettings, type Settings } from '@lateen/volume-decisions';

/** The settings in the cache, parsed again only when one of them has changed, because every pass of every room reads them. */
export function settingsOf(settings: Pick<Informer<Setting>, 'list' | 'onChange'>): () => Settings {
  let read: Settings | undefined;
  settings.onChange(() => {
    read = undefined;
  });
  return () => {
    read ??= readSettings(settings.list()).settings;
    return read;
  };
}
