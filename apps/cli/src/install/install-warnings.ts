import { defaultLocationName, namespaceType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import type { RenderOptions } from '@lateen/manifests';
import {
  bindingsOf,
  type ExistingInstallation,
  missingConfigMaps,
  withOwnAccounts,
} from '@lateen/operations/installation';
import { specWarnings } from '../backup-location/location-warnings.ts';
import type { InstallFlags } from './install-flags.ts';
import type { InstallSettings } from './install-settings.ts';

/** What the user should know before the installation, one sentence each. Changes nothing. */
export async function installWarnings(
  kube: KubeApi,
  flags: InstallFlags,
  { render, location }: InstallSettings,
  found: ExistingInstallation,
  signal: AbortSignal,
): Promise<string[]> {
  const { namespace = '' } = render;
  const names = [flags.nodeAgentConfigmap, flags.repoMaintenanceJobConfigmap, flags.backupRepositoryConfigmap];
  return [
    ...(render.image === undefined
      ? ['the image is that of a local build, which only nodes that have loaded it can start; give --image.']
      : []),
    ...(render.parts?.includes('volume-manager') === true && render.storageImage === undefined
      ? [
          'the image in which replicas run is that of a local build, which only nodes that have loaded it can start; give --volume-manager-image.',
        ]
      : []),
    ...withoutManagers(flags, render),
    ...(found.hasSnapshots
      ? []
      : [
          'the cluster has no VolumeSnapshots: volumes cannot be moved before the CRDs and the snapshot-controller of external-snapshotter are there.',
        ]),
    ...(location === undefined ? [] : specWarnings({ metadata: { name: defaultLocationName }, spec: location.spec })),
    ...(location !== undefined && found.otherDefault !== undefined
      ? [`location ${found.otherDefault} stays the default one.`]
      : []),
    ...(await raisedLevel(kube, namespace, render, signal)),
    ...(await missingConfigMaps(kube, namespace, names, signal)),
    ...(flags.takeOver === true ? [] : await wideRights(kube, namespace, flags, signal)),
  ];
}

function withoutManagers(
  { privilegedManagers, managerApiAuth }: InstallFlags,
  { parts = [] }: RenderOptions,
): string[] {
  if (parts.includes('volume-manager')) return [];
  const given = [
    ...(privilegedManagers === true ? ['--privileged-managers'] : []),
    ...(managerApiAuth === 'token' ? ['--manager-api-auth'] : []),
  ];
  return given.map((flag) => `${flag} changes nothing without --volume-manager=replicated.`);
}

const levelLabel = 'pod-security.kubernetes.io/enforce';

/** A user who may create pods in the namespace gets more rights by the installation. */
async function raisedLevel(
  kube: KubeApi,
  namespace: string,
  { podVolumes = true, hostPaths = true }: RenderOptions,
  signal: AbortSignal,
): Promise<string[]> {
  if (!podVolumes || !hostPaths) return [];
  const found = await readObject(kube, namespaceType, { name: namespace }, signal);
  const level = found?.metadata.labels?.[levelLabel];
  if (level !== 'baseline' && level !== 'restricted') return [];
  return [
    `the pod security level of namespace ${namespace} changes from "${level}" to "privileged", because data movers of pod volumes mount a path of the host; --node-agent-disable-host-path or --use-pod-volumes=false avoid that.`,
  ];
}

/** A role binding of Velero stays when only its workloads were deleted. */
async function wideRights(
  kube: KubeApi,
  namespace: string,
  { serviceAccountName }: InstallFlags,
  signal: AbortSignal,
): Promise<string[]> {
  const accounts = withOwnAccounts(serviceAccountName === undefined ? [] : [serviceAccountName]);
  try {
    const wide = await bindingsOf(kube, namespace, accounts, signal);
    return wide.map(
      ({ binding, accounts: bound }) =>
        `ClusterRoleBinding ${binding.metadata.name} lets ServiceAccount ${bound.join(', ')} do everything, which Lateen does not need: lateen install --take-over removes that right.`,
    );
  } catch (error) {
    // A user who may not read the cluster's bindings may still be able to install.
    if (isAppError(error, 'KUBE_FORBIDDEN')) return [];
    throw error;
  }
}
