import { controllerName, type Deployment } from '@lateen/api-types';
import type { Unstructured } from '@lateen/kube';
import { pluginsOf } from '@lateen/manifests';

/** On the controller's Deployment: what the last install was told, so that the next one need not be told again. */
export const settingsAnnotation = 'lateen.dev/install-settings';

/** Settings of `install` that are kept, as the words of its flags. The image and the plugins are read from the Deployment itself; location and Secret are objects of their own. */
const keptFlags = [
  'useNodeAgent',
  'usePodVolumes',
  'nodeAgentDisableHostPath',
  'useCsiDriver',
  'csiSidecarImage',
  'volumeManager',
  'volumeManagerImage',
  'privilegedManagers',
  'managerApiAuth',
  'kubeletRootDir',
  'csiStateDir',
  'logLevel',
  'veleroPodCpuRequest',
  'veleroPodMemRequest',
  'veleroPodCpuLimit',
  'veleroPodMemLimit',
  'nodeAgentPodCpuRequest',
  'nodeAgentPodMemRequest',
  'nodeAgentPodCpuLimit',
  'nodeAgentPodMemLimit',
  'nodeAgentConfigmap',
  'repoMaintenanceJobConfigmap',
  'backupRepositoryConfigmap',
  'defaultRepoMaintainFrequency',
  'concurrentBackups',
  'itemBlockWorkerCount',
  'defaultSnapshotMoveData',
  'defaultVolumesToFsBackup',
  'podVolumeOperationTimeout',
  'features',
  'backupSyncPeriod',
  'garbageCollectionFrequency',
  'scheduleSkipImmediately',
  'serviceAccountName',
  'saAnnotations',
  'podAnnotations',
  'podLabels',
] as const;

/** `plugins`: images, with commas between them. The Deployment itself says which there are, because `plugin add` changes it too. */
export type KeptSettings = Partial<Record<(typeof keptFlags)[number] | 'plugins', string | boolean>>;

/** Those of the flags whose value is kept. */
export const keptSettings = (flags: Readonly<Record<string, unknown>>): KeptSettings =>
  Object.fromEntries(
    keptFlags.flatMap((name) => {
      const value = flags[name];
      return typeof value === 'string' || typeof value === 'boolean' ? [[name, value]] : [];
    }),
  );

/** The flags of an earlier install, as its Deployment tells them. */
export function settingsOf(deployment: Deployment): KeptSettings {
  const images = pluginsOf(deployment.spec.template.spec).map(({ image }) => image);
  return { ...annotated(deployment), ...(images.length === 0 ? {} : { plugins: images.join(',') }) };
}

function annotated(deployment: Deployment): KeptSettings {
  try {
    const found: unknown = JSON.parse(deployment.metadata.annotations?.[settingsAnnotation] ?? '{}');
    return typeof found === 'object' && found !== null ? keptSettings(found as Record<string, unknown>) : {};
  } catch {
    // Somebody has edited it: the command line alone counts, and the next annotation is a good one.
    return {};
  }
}

/** The command line, filled up with what an earlier one said and this one does not. */
export function withEarlier<Flags extends Readonly<Record<string, unknown>>>(
  flags: Flags,
  earlier: KeptSettings,
): { flags: Flags; kept: string[] } {
  const taken = Object.entries(earlier).filter(([name]) => flags[name] === undefined);
  return {
    flags: { ...flags, ...Object.fromEntries(taken) },
    kept: namedByFlags(Object.fromEntries(taken)),
  };
}

/** Settings in the words of the command line: `--log-level=debug`. */
export const namedByFlags = (settings: KeptSettings): string[] =>
  Object.entries(settings).map(
    ([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  );

/** The objects with the settings on the controller's Deployment; unchanged when all of them are the usual ones. */
export function withSettings(
  objects: readonly Unstructured[],
  flags: Readonly<Record<string, unknown>>,
): Unstructured[] {
  const kept = keptSettings(flags);
  if (Object.keys(kept).length === 0) return [...objects];
  return objects.map((object) => {
    if (object.kind !== 'Deployment' || object.metadata.name !== controllerName) return object;
    const { metadata } = object;
    const annotations = { ...metadata.annotations, [settingsAnnotation]: JSON.stringify(kept) };
    return { ...object, metadata: { ...metadata, annotations } };
  });
}
