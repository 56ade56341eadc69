import { daemonSetType, deploymentType, eventType, nodeType, podType, type ResourceType } from '@lateen/api-types';
import { type Discovery, groupResourceText, type KubeApi, listAll, listIfServed } from '@lateen/kube';
import type { BundlePart } from './bundle-file.ts';
import { bundleLimits } from './bundle-limits.ts';
import type { Redactor } from './redactor.ts';

/** API groups whose objects belong to Lateen, Velero or the volume manager. */
const groups: ReadonlySet<string> = new Set(['velero.io', 'longhorn.io']);

/** Their values are redacted by name. They come first because logs may repeat the values of environment variables. */
const workloads: readonly ResourceType[] = [deploymentType, daemonSetType, podType];

interface ObjectsOf {
  kube: KubeApi & Pick<Discovery, 'resourceTypes'>;
  redactor: Redactor;
  namespace: string;
  signal: AbortSignal;
}

/**
 * Workloads, objects of the two API groups, and Events of a namespace: a file of kind List for each kind that has objects.
 * Kinds are found by discovery, so those of other versions of Velero and Longhorn are included. Never reads Secrets.
 */
export async function* objectParts(of: ObjectsOf): AsyncGenerator<BundlePart> {
  for (const type of workloads) yield* listed(of, type, bundleLimits.objectsMax);
  const types = await of.kube.resourceTypes({ signal: of.signal });
  for (const type of types)
    if (type.preferred && type.namespaced && groups.has(type.group) && type.verbs.includes('list'))
      yield* listed(of, type, bundleLimits.objectsMax);
  yield* listed(of, eventType, bundleLimits.eventsMax);
}

/** Nodes, for the versions of kubelet, kernel and container runtime. */
export const nodeParts = (of: Omit<ObjectsOf, 'namespace'>): AsyncGenerator<BundlePart> =>
  listed(of, nodeType, bundleLimits.objectsMax);

async function* listed(
  of: Omit<ObjectsOf, 'namespace'> & { namespace?: string },
  type: ResourceType,
  itemsMax: number,
): AsyncGenerator<BundlePart> {
  const { kube, redactor, namespace, signal } = of;
  const name = groupResourceText(type);
  const path = `objects/${namespace === undefined ? '' : `${namespace}/`}${name}.json`;
  try {
    const where = namespace === undefined ? {} : { namespace };
    const found = await listAll(kube, type, { ...where, itemsMax, signal });
    if (found.items.length === 0) return;
    const items = found.items.map((item) => redactor.object(item));
    const text = `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`;
    yield { path, text, about: `${items.length} ${found.isCut ? 'objects, the first ones' : 'objects'}` };
  } catch (error) {
    signal.throwIfAborted();
    yield { path, error };
  }
}

/** Pods whose logs are relevant to Lateen or Velero: their own pods, and those that move, check and serve volumes for them. */
export async function podsOfInterest(kube: KubeApi, namespace: string, signal: AbortSignal) {
  const pods = await listIfServed(kube, podType, { namespace, signal });
  return pods.filter(({ metadata: { labels = {} } }) => isOurs(labels));
}

const exact: Readonly<Record<string, string>> = {
  'app.kubernetes.io/part-of': 'lateen',
  component: 'velero',
  role: 'node-agent',
};

function isOurs(labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).some(([key, value]) => exact[key] === value || groups.has(key.split('/')[0] ?? ''));
}
