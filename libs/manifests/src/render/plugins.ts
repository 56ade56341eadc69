import { createHash } from 'node:crypto';
import { type Container, controllerName } from '@lateen/api-types';
import type { Unstructured } from '@lateen/kube';
import { withTemplate } from './pod-template.ts';

/** Volume of the controller's pod with the programs of plugins, and where an init container finds it: Velero's names (cli.md section 12). */
const volume = 'plugins';
const target = '/target';

/** Longest name of a container: a DNS-1123 label. */
const nameLengthMax = 63;

/** An image with programs of plugins, as it is written in manifests. */
export interface PluginImage {
  /** Of the init container. */
  name: string;
  image: string;
  /** Default IfNotPresent. */
  pullPolicy?: Container['imagePullPolicy'];
}

/** The image under the name that Velero gives its init container: without registry host and tag, `-` for what no name may have. */
export function pluginOf(image: string, pullPolicy?: Container['imagePullPolicy']): PluginImage {
  const untagged = image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const [first = '', ...others] = untagged.split('/');
  const isHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const path = isHost ? others.join('/') : untagged;
  const name = path
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { name: shortened(name, image), image, ...(pullPolicy === undefined ? {} : { pullPolicy }) };
}

/** Two long names that begin alike stay two. */
function shortened(name: string, image: string): string {
  if (name !== '' && name.length <= nameLengthMax) return name;
  const hash = createHash('sha256').update(image).digest('hex').slice(0, 8);
  return `${(name || 'plugin').slice(0, nameLengthMax - hash.length - 1)}-${hash}`;
}

/** It copies its programs to /target and ends; it needs no right at all for that. */
export const pluginContainer = ({ name, image, pullPolicy = 'IfNotPresent' }: PluginImage): Container => ({
  name,
  image,
  imagePullPolicy: pullPolicy,
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  terminationMessagePolicy: 'FallbackToLogsOnError',
  volumeMounts: [{ name: volume, mountPath: target }],
});

/** Whether an init container brings plugins; also one that `velero plugin add` or a person made. */
export const bringsPlugins = ({ volumeMounts = [] }: Container): boolean =>
  volumeMounts.some(({ name, mountPath }) => name === volume && mountPath === target);

/** The plugins of a pod, in the order in which they are copied. */
export const pluginsOf = ({ initContainers = [] }: { initContainers?: readonly Container[] }): PluginImage[] =>
  initContainers.filter(bringsPlugins).map(({ name, image = '', imagePullPolicy: pullPolicy }) => ({
    name,
    image,
    ...(pullPolicy === undefined ? {} : { pullPolicy }),
  }));

/** The controller's Deployment with an init container for each plugin. */
export function withPlugins(
  object: Unstructured,
  { plugins = [] }: { plugins?: readonly PluginImage[] },
): Unstructured {
  if (plugins.length === 0 || object.kind !== 'Deployment' || object.metadata.name !== controllerName) return object;
  return withTemplate(object, ({ spec }) => {
    spec.initContainers = plugins.map(pluginContainer);
  });
}
