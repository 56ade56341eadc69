import { controllerName, type Deployment, deploymentType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { bringsPlugins, type PluginImage, pluginContainer, pluginsOf } from '@lateen/manifests';
import { changeObject } from '../../storage/change-object.ts';
import { type UnfinishedWork, unfinishedWork } from '../take-over/unfinished-work.ts';
import { refuseHelm } from './existing-installation.ts';

export interface PluginPlace {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

const controllerNoun = { type: deploymentType, word: 'installation', notFoundCode: 'NOT_INSTALLED' } as const;

/**
 * Adds the init container of a plugin to the controller's Deployment, whose pod then restarts. The image of an init container of the same
 * name is replaced. `changed` is false when the plugin is already there with this image.
 * @throws AppError NOT_INSTALLED, HELM_RELEASE, PLUGIN_NAME_TAKEN; KUBE_CONFLICT after many in a row
 */
export const addPlugin = (place: PluginPlace, plugin: PluginImage): Promise<{ object: Deployment; changed: boolean }> =>
  changeController(place, (deployment) => {
    const { initContainers = [] } = deployment.spec.template.spec;
    const there = initContainers.find(({ name }) => name === plugin.name);
    if (there !== undefined && !bringsPlugins(there))
      throw new AppError('PLUGIN_NAME_TAKEN', `init container ${plugin.name} of the server is not one of a plugin`, {
        nextStep: 'Give the image another name.',
      });
    const { image, pullPolicy } = plugin;
    if (there?.image === image && (pullPolicy === undefined || there.imagePullPolicy === pullPolicy)) return undefined;
    const made = pluginContainer(plugin);
    return there === undefined
      ? [...initContainers, made]
      : initContainers.map((each) => (each === there ? made : each));
  });

/**
 * Removes plugins from the controller's Deployment, named as their init containers or by their images.
 * @throws AppError NOT_INSTALLED, HELM_RELEASE; PLUGIN_NOT_FOUND in Velero's words (cli.md section 12)
 */
export const removePlugins = (place: PluginPlace, names: readonly string[]): Promise<{ object: Deployment }> =>
  changeController(place, (deployment) => {
    const { initContainers = [] } = deployment.spec.template.spec;
    const plugins = pluginsOf({ initContainers });
    const gone = names.map((name) => {
      const found = plugins.find((plugin) => plugin.name === name || plugin.image === name);
      if (found !== undefined) return found.name;
      throw new AppError('PLUGIN_NOT_FOUND', `init container ${name} not found in Velero server deployment`, {
        nextStep:
          plugins.length === 0
            ? 'No plugin is installed.'
            : `Installed are: ${plugins.map((plugin) => `${plugin.name} (${plugin.image})`).join(', ')}.`,
      });
    });
    return initContainers.filter(({ name }) => !gone.includes(name));
  });

async function changeController(
  place: PluginPlace,
  change: (deployment: Deployment) => NonNullable<Deployment['spec']['template']['spec']['initContainers']> | undefined,
): Promise<{ object: Deployment; changed: boolean }> {
  return await changeObject<Deployment>(place, controllerNoun, controllerName, (deployment) => {
    refuseHelm(deployment, 'upgrade');
    const initContainers = change(deployment);
    if (initContainers === undefined) return undefined;
    const { spec } = deployment;
    const { initContainers: _, ...pod } = spec.template.spec;
    const changed = initContainers.length === 0 ? pod : { ...pod, initContainers };
    return { ...deployment, spec: { ...spec, template: { ...spec.template, spec: changed } } };
  });
}

/** Running backups and restores: they fail when the controller's pod restarts. */
export const runsInTheWay = async ({ kube, namespace, signal }: PluginPlace): Promise<UnfinishedWork[]> =>
  (await unfinishedWork(kube, namespace, signal)).filter(
    ({ ending, phase }) => ending === 'fail' && phase !== 'New' && phase !== 'Queued',
  );
