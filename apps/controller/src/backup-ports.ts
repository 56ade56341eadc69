import { controllerName, deploymentType } from '@lateen/api-types';
import { type BackupControllersOptions, type ClusterVersion, engineLimitsDefault } from '@lateen/backup';
import { AppError } from '@lateen/errors';
import { type BuiltInActions, builtInActions } from '@lateen/item-actions';
import { type KubeApi, readObject } from '@lateen/kube';
import type { KubeClient } from '@lateen/kube-client';
import type { ControllerBase } from '@lateen/kube-runtime';
import { makeLogger } from '@lateen/logging';
import type { ControllerConfig } from './config.ts';

export type BackupPortsOfApp = Pick<
  BackupControllersOptions,
  'settings' | 'engineLimits' | 'discovery' | 'exec' | 'logTo' | 'clusterVersion' | 'collectingKube'
> & { actions: BuiltInActions };

/** The ports that backups need besides those of all controllers. */
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
    // Bulk priority: thousands of lists and reads must not delay the few calls for which a user waits.
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

/** The image of this installation: read from the controller's own Deployment, so that a change there changes it everywhere. */
async function ownImage(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<string> {
  const deployment = await readObject(kube, deploymentType, { namespace, name: controllerName }, signal);
  const containers = deployment?.spec.template.spec.containers ?? [];
  const { image = '' } = containers.find(({ name }) => name === controllerName) ?? containers[0] ?? {};
  if (image !== '') return image;
  throw new AppError('OWN_IMAGE_UNKNOWN', `Deployment ${namespace}/${controllerName} names no image`, {
    nextStep: 'Name one in the ConfigMap of velero.io/pod-volume-restore, key image.',
  });
}
