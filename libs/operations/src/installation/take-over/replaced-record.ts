import { type Secret, secretType } from '@lateen/api-types';
import { type KubeApi, type KubeObject, readObject, type Unstructured } from '@lateen/kube';
import { inApplyOrder } from '@lateen/manifests';
import { dump, loadAll } from 'js-yaml';
import { type KeptSettings, keptSettings } from '../install/kept-settings.ts';

/**
 * The objects that a take-over has replaced, in their old state: the way back, and the state from which an interrupted take-over
 * continues. It is kept in a Secret, because users write keys into the environment of a Deployment.
 */
export interface ReplacedRecord {
  /** As `kubectl apply -f` takes them. */
  objects: Unstructured[];
  /** The settings of the flags of `lateen install`. */
  settings: KeptSettings;
}

export const recordName = 'lateen-take-over';
const keys = { objects: 'replaced.yaml', settings: 'settings.json' } as const;

/** Undefined: nothing was taken over in this namespace, or the record is no longer readable. */
export async function readRecord(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<ReplacedRecord | undefined> {
  const secret = await readObject(kube, secretType, { namespace, name: recordName }, signal);
  const text = (key: string): string => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();
  if (secret === undefined) return undefined;
  try {
    const objects = loadAll(text(keys.objects)).filter((it) => it !== null && it !== undefined) as Unstructured[];
    return { objects, settings: keptSettings(JSON.parse(text(keys.settings) || '{}')) };
  } catch {
    // The record was edited.
    return undefined;
  }
}

/**
 * Merges the record with the current state: an object found now replaces the same object of an earlier record. Pure.
 * @param settings of the installation found now; settings of an earlier record apply where these are unset
 */
export function mergedRecord(
  earlier: ReplacedRecord | undefined,
  objects: readonly KubeObject[],
  settings: KeptSettings,
): ReplacedRecord {
  const titleOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;
  const found = new Map(objects.map((object) => [titleOf(object), asWritten(object)]));
  const before = (earlier?.objects ?? []).filter((object) => !found.has(titleOf(object)));
  return { objects: [...before, ...found.values()], settings: { ...earlier?.settings, ...settings } };
}

export function recordSecret(namespace: string, { objects, settings }: ReplacedRecord): Secret {
  const yaml = inApplyOrder(objects)
    .map((object) => dump(object, { noRefs: true, lineWidth: -1 }))
    .join('---\n');
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: recordName, labels: { 'app.kubernetes.io/part-of': 'lateen' } },
    type: 'Opaque',
    data: { [keys.objects]: encoded(yaml), [keys.settings]: encoded(JSON.stringify(settings)) },
  };
}

/** Fields that the cluster writes, or that only describe how the object was created. */
const dropped: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
]);

/** The object without the fields that the cluster has added. */
function asWritten(object: KubeObject): Unstructured {
  const { status: _, ...rest } = object as Unstructured;
  const { name, namespace, labels, annotations = {} } = object.metadata;
  const own = Object.entries(annotations).filter(([key]) => !dropped.has(key));
  return {
    ...rest,
    metadata: {
      name: name ?? '',
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }),
    },
  };
}
