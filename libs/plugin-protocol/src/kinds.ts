/** What a program may offer, by the names that travel (`PluginIdentifier.kind`) and that a ServerStatusRequest shows. */
export const pluginKinds = [
  'ObjectStore',
  'VolumeSnapshotter',
  'BackupItemAction',
  'BackupItemActionV2',
  'RestoreItemAction',
  'RestoreItemActionV2',
  'DeleteItemAction',
  'ItemBlockAction',
] as const;
export type PluginKind = (typeof pluginKinds)[number];

export const isPluginKind = (kind: string): kind is PluginKind => (pluginKinds as readonly string[]).includes(kind);
