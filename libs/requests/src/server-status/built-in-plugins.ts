import type { PluginInfo } from '@lateen/api-types';

/** What Velero would need plugins for and is built in here, under the names its users know. */
export const builtInPlugins = [
  { name: 'velero.io/aws', kind: 'ObjectStore' },
  { name: 'velero.io/azure', kind: 'ObjectStore' },
  { name: 'velero.io/fs', kind: 'ObjectStore' },
  { name: 'velero.io/gcp', kind: 'ObjectStore' },
] as const satisfies readonly PluginInfo[];
