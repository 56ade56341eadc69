import { controllerName, type Deployment } from '@lateen/api-types';
import type { Unstructured } from '@lateen/kube';
import { pluginsOf } from '@lateen/manifests';

/** The annotation of the controller's Deployment with the settings of the last install, so that the next one need not repeat them. */
export const settingsAnnotation = 'lateen.dev/install-settings';

/** Flags of `install` that are kept. Image and plugins are read from the Deployment; location and Secret are objects of their own. */
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

/** `plugins`: images, separated by commas. The Deployment itself is the source, because `plugin add` changes it too. */
export type KeptSettings = Partial<Record<(typeof keptFlags)[number] | 'plugins', string | boolean>>;

/** Selects the flags whose value is kept. */
export const keptSettings = (flags: Readonly<Record<string, unknown>>): KeptSettings =>
  Object.fromEntries(
    keptFlags.flatMap((name) => {
      const value = flags[name];
      return typeof value === 'string' || typeof value === 'boolean' ? [[name, value]] : [];
    }),
  );

/** The flags of an earlier install, from the annotation of its Deployment. */
export function settingsOf(deployment: Deployment): KeptSettings {
  const images = pluginsOf(deployment.spec.template.spec).map(({ image }) => image);
  return { ...annotated(deployment), ...(images.length === 0 ? {} : { plugins: images.join(',') }) };
}

function annotated(deployment: Deployment): KeptSettings {
  try {
    const found: unknown = JSON.parse(deployment.metadata.annotations?.[settingsAnnotation] ?? '{}');
    return typeof found === 'object' && found !== null ? keptSettings(found as Record<string, unknown>) : {};
  } catch {
    // The annotation was edited and is not valid: only the command line counts, and the install writes a valid one again.
    return {};
  }
}

/** The flags of the command line, completed with those of an earlier install. */
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

/** Settings as flags of the command line: `--log-level=debug`. */
export const namedByFlags = (settings: KeptSettings): string[] =>
  Object.entries(settings).map(
    ([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  );

/** Adds the settings to the controller's Deployment; the objects are unchanged when all settings are the defaults. */
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
