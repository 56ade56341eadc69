import { type BackupControllersOptions, type ClusterVersion, engineLimitsDefault } from '@lateen/backup';
import { type BuiltInActions, builtInActions } from '@lateen/item-actions';
import type { KubeClient } from '@lateen/kube-client';
import type { ControllerBase } from '@lateen/kube-runtime';
import { makeLogger } from '@lateen/logging';
import type { ControllerConfig } from './config.ts';
import { ownImage } from './own-image.ts';

export type BackupPortsOfApp = Pick<
  BackupControllersOptions,
  'settings' | 'engineLimits' | 'discovery' | 'exec' | 'logTo' | 'clusterVersion' | 'collectingKube'
> & { actions: BuiltInActions };

/** What backups need beside what all controllers have. */
export async function backupPorts(
  config: ControllerConfig,
  { kube, clock }: ControllerBase & { kube: KubeClient },
  signal: AbortSignal,
): Promise<BackupPortsOfApp> {
  const { backups: settings, logLevel: level, logFormat: format } = config;
  const types = await kube.resourceTypes({ signal });
  const oldDefinitions = types.some(
    ({ group, version, resource }) =>
      group === 'apiextensions.k8s.io' && version === 'v1beta1' && resource === 'customresourcedefinitions',
  );
  return {
    settings,
    engineLimits: {
      ...engineLimitsDefault,
      pageItems: settings.pageSize,
      itemBlockWorkers: settings.itemBlockWorkers,
    },
    discovery: kube,
    exec: kube,
    // Thousands of lists and reads that nobody waits for, beside the few calls that somebody does.
    collectingKube: kube.withPriority('bulk'),
    actions: builtInActions({
      csi: true,
      oldDefinitions,
      podVolumes: settings.podVolumes.enabled
        ? {
            image: (_context, either) => ownImage(kube, config.namespace, either),
            timeout: settings.podVolumes.timeout,
          }
        : undefined,
    }),
    logTo: (write) => makeLogger({ level, format, clock, destination: { write } }),
    clusterVersion: async (either) => parseVersion(await kube.raw({ path: '/version', signal: either })),
  };
}

function parseVersion(text: string): ClusterVersion {
  const { gitVersion = '', major = '', minor = '' } = JSON.parse(text) as Partial<ClusterVersion>;
  return { gitVersion, major, minor };
}
