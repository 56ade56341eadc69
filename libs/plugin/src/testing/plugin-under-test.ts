import { AppError } from '@lateen/errors';
import type { PluginKind } from '@lateen/plugin-protocol';
import type { Offer } from '../define-plugin.ts';
import {
  type BackupItemActionUnderTest,
  backupItemActionUnderTest,
  type DeleteItemActionUnderTest,
  deleteItemActionUnderTest,
  type ItemBlockActionUnderTest,
  itemBlockActionUnderTest,
  type RestoreItemActionUnderTest,
  restoreItemActionUnderTest,
} from './actions-under-test.ts';
import type { PluginCalls } from './plugin-calls.ts';
import {
  type ObjectStoreUnderTest,
  objectStoreUnderTest,
  type VolumeSnapshotterUnderTest,
  volumeSnapshotterUnderTest,
} from './stores-under-test.ts';

type Config = Readonly<Record<string, string>>;

/** A plugin as its host sees it: every message has passed the wire format. */
export interface PluginUnderTest {
  /** The items that it lists. */
  readonly offers: readonly Offer[];
  /** Each of these throws PLUGIN_NOT_OFFERED for an unknown name. */
  backupItemAction(name: string): BackupItemActionUnderTest;
  restoreItemAction(name: string): RestoreItemActionUnderTest;
  itemBlockAction(name: string): ItemBlockActionUnderTest;
  deleteItemAction(name: string): DeleteItemActionUnderTest;
  volumeSnapshotter(name: string, config?: Config): Promise<VolumeSnapshotterUnderTest>;
  objectStore(name: string, config?: Config): Promise<ObjectStoreUnderTest>;
}

/** @param signal aborts every call */
export async function pluginUnderTest(calls: PluginCalls, signal: AbortSignal): Promise<PluginUnderTest> {
  const { plugins } = await calls.lister.listPlugins({}, { signal });
  const offers = plugins.map(({ kind, name }) => ({ kind: kind as PluginKind, name }));
  const kindOf = (name: string, kinds: readonly PluginKind[]): PluginKind => {
    const found = offers.find((offer) => offer.name === name && kinds.includes(offer.kind));
    if (found !== undefined) return found.kind;
    const list = offers.map((offer) => `${offer.kind} ${offer.name}`).join(', ');
    throw new AppError('PLUGIN_NOT_OFFERED', `there is no ${kinds[0]} ${name}; the plugin lists ${list}`);
  };
  const place = (name: string, ...kinds: PluginKind[]) => {
    const version = kindOf(name, kinds).endsWith('V2') ? (2 as const) : (1 as const);
    return { calls, name, version, signal };
  };
  return {
    offers,
    backupItemAction: (name) => backupItemActionUnderTest(place(name, 'BackupItemAction', 'BackupItemActionV2')),
    restoreItemAction: (name) => restoreItemActionUnderTest(place(name, 'RestoreItemAction', 'RestoreItemActionV2')),
    itemBlockAction: (name) => itemBlockActionUnderTest(place(name, 'ItemBlockAction')),
    deleteItemAction: (name) => deleteItemActionUnderTest(place(name, 'DeleteItemAction')),
    volumeSnapshotter: (name, config = {}) =>
      volumeSnapshotterUnderTest({ ...place(name, 'VolumeSnapshotter'), config }),
    objectStore: (name, config = {}) => objectStoreUnderTest({ ...place(name, 'ObjectStore'), config }),
  };
}
