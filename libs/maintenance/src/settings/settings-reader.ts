import { type BackupRepository, type ConfigMap, configMapType } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { type MaintenanceSettings, maintenanceSettings } from './maintenance-settings.ts';

/** A change of the ConfigMap counts after so long; with any number of repositories it is read no more often. */
const keptMs = 60_000;

export interface SettingsReaderOptions {
  kube: Pick<KubeApi, 'get'>;
  namespace: string;
  /** Undefined: there is none, and the defaults hold. */
  configMapName: string | undefined;
  clock: Clock;
  log: Logger;
}

/** Reads the ConfigMap of maintenance Jobs on request, and logs its errors once per change. */
export function settingsReader(options: SettingsReaderOptions) {
  const { kube, namespace, configMapName: name, clock, log } = options;
  let read: { atMs: number; config: Promise<ConfigMap | undefined> } | undefined;
  let complainedOf: string | undefined;

  async function load(signal: AbortSignal): Promise<ConfigMap | undefined> {
    if (name === undefined) return undefined;
    try {
      return await kube.get(configMapType, { namespace, name }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (complainedOf !== 'missing')
        log.warn({ configMap: name }, 'there is no ConfigMap of maintenance Jobs: defaults are used');
      complainedOf = 'missing';
      return undefined;
    }
  }

  return async (repository: BackupRepository, signal: AbortSignal): Promise<MaintenanceSettings> => {
    const nowMs = clock.monotonicMs();
    if (read === undefined || nowMs - read.atMs >= keptMs) read = { atMs: nowMs, config: load(signal) };
    const mine = read;
    const config = await mine.config.catch((error: unknown) => {
      if (read === mine) read = undefined;
      throw error;
    });
    const { settings, problems } = maintenanceSettings(config, repository);
    const version = `${config?.metadata.uid} ${config?.metadata.resourceVersion}`;
    if (problems.length > 0 && complainedOf !== version) {
      complainedOf = version;
      log.warn({ configMap: name, problems }, 'parts of the ConfigMap of maintenance Jobs are ignored');
    }
    return settings;
  };
}
