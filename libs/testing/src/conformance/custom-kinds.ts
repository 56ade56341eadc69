import { systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi, ResourceType, Unstructured } from '@lateen/kube';
import { definitionType } from '../cluster/known-types.ts';
import type { ConformanceSubject } from './conformance-subject.ts';

const group = 'conformance.lateen.dev';
const establishedTimeoutMs = 30_000;

/** Two kinds of the suite: `Plain` has no status subresource, `Split` has one. */
export interface CustomKinds {
  plain: ResourceType<Unstructured>;
  split: ResourceType<Unstructured>;
  create(subject: ConformanceSubject): Promise<void>;
  remove(api: KubeApi): Promise<void>;
}

/** Kinds with names unique to each run, so that runs on one server do not collide. */
export function customKinds(): CustomKinds {
  const run = systemRandom.suffix(6);
  const plain = kind(`Plain${run}`);
  const split = kind(`Split${run}`);
  return {
    plain,
    split,
    create: async (subject) => {
      await subject.api.create(definitionType, definition(plain, {}));
      await subject.api.create(definitionType, definition(split, { status: {} }));
      for (const type of [plain, split]) await isServed(subject, type);
    },
    remove: async (api) => {
      for (const type of [plain, split]) await api.delete(definitionType, { name: `${type.resource}.${group}` });
    },
  };
}

/** One more kind, and its definition. */
export function customDefinition(
  name: string,
  subresources: object,
): { type: ResourceType<Unstructured>; definition: Unstructured } {
  const type = kind(name);
  return { type, definition: definition(type, subresources) };
}

const kind = (name: string): ResourceType<Unstructured> => ({
  group,
  version: 'v1',
  resource: `${name.toLowerCase()}s`,
  kind: name,
  namespaced: true,
});

function definition(type: ResourceType, subresources: object): Unstructured {
  const { group: _, kind: named, resource } = type;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: named, listKind: `${named}List`, plural: resource, singular: named.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

/** Waits until the paths of a new definition are served. */
async function isServed({ api, namespace }: ConformanceSubject, type: ResourceType): Promise<void> {
  const deadline = systemClock.deadline(establishedTimeoutMs);
  for (;;) {
    try {
      await api.list(type, { namespace, limit: 1 });
      return;
    } catch {
      await systemClock.sleep(100, deadline);
    }
  }
}
