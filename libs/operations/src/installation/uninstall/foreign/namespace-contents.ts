import { veleroGroup } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import {
  type DiscoveredType,
  type Discovery,
  groupResourceText,
  isNotFound,
  type KubeApi,
  type KubeObject,
  listAll,
} from '@lateen/kube';

/** An object in the namespace, with the facts that decide whose it is. */
export interface SeenObject {
  /** Empty for the core group. */
  group: string;
  kind: string;
  name: string;
  uid: string;
  labels: Readonly<Record<string, string>>;
  owners: readonly { group: string; uid: string }[];
  /** For a Secret with a token: the service account that the token is for. */
  tokenOf?: string;
}

/** The objects that are deleted with a namespace. */
export interface NamespaceContents {
  /** All objects except those of velero.io and Events. Each once, in the order of {@link DiscoveredType}s. */
  objects: SeenObject[];
  /** `cronjobs.batch (why)`: kinds that could not be listed completely. */
  unseen: string[];
}

/** The limit of objects read per kind: foreign objects are reported by name, and more names would not help. The rest counts as unseen. */
export const objectsPerKindMax = 5_000;

/** Kinds that only report on other objects. */
const reports: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);

/**
 * Reads the metadata of everything that is deleted with a namespace: discovery finds each kind that the namespace controller deletes. A
 * kind that cannot be listed is named. Changes nothing.
 */
export async function namespaceContents(
  kube: KubeApi & Pick<Discovery, 'resourceTypes'>,
  namespace: string,
  signal: AbortSignal,
): Promise<NamespaceContents> {
  const kinds = (await kube.resourceTypes({ signal })).filter(goesWithNamespace);
  const unseen: string[] = [];
  const lists = await Promise.all(
    kinds.map(async (type): Promise<SeenObject[]> => {
      const resource = groupResourceText(type);
      try {
        const options = { namespace, signal, metadataOnly: true, itemsMax: objectsPerKindMax };
        const { items, isCut } = await listAll(kube, type, options);
        if (isCut) unseen.push(`${resource} (more than ${objectsPerKindMax})`);
        return items.map((object) => seen(type, object));
      } catch (error) {
        signal.throwIfAborted();
        // Its CRD is just being deleted.
        if (isNotFound(error)) return [];
        unseen.push(`${resource} (${describeError(error)})`);
        return [];
      }
    }),
  );
  // Some objects are served in two API groups.
  const byUid = new Map(lists.flat().map((object) => [object.uid, object]));
  return { objects: [...byUid.values()], unseen: unseen.sort() };
}

/** Whether the kind can be listed and deleted, as the namespace controller requires; other kinds (PodMetrics …) are views of other objects. */
export function goesWithNamespace(type: DiscoveredType): boolean {
  return (
    type.namespaced &&
    type.preferred &&
    type.group !== veleroGroup &&
    !reports.has(groupResourceText(type)) &&
    ['list', 'delete'].every((verb) => type.verbs.includes(verb))
  );
}

const groupOf = (apiVersion: string): string => apiVersion.split('/').toReversed()[1] ?? '';

function seen({ group, kind }: DiscoveredType, { metadata }: KubeObject): SeenObject {
  const { name = '', uid = '', labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const tokenOf = kind === 'Secret' ? annotations['kubernetes.io/service-account.name'] : undefined;
  const owners = ownerReferences.map((owner) => ({ group: groupOf(owner.apiVersion), uid: owner.uid }));
  return { group, kind, name, uid, labels, owners, ...(tokenOf === undefined ? {} : { tokenOf }) };
}
