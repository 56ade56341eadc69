import { configMapType, namespaceType, secretType } from '@lateen/api-types';
import {
  type DiscoveredType,
  type Discovery,
  type KubeApi,
  kubeError,
  parseExact,
  type ResourceType,
  stringify,
} from '@lateen/kube';

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

const types: readonly DiscoveredType[] = [configMapType, secretType, namespaceType].map((type) => ({
  ...type,
  verbs,
  shortNames: [],
  singular: type.kind.toLowerCase(),
  categories: [],
  subresources: [],
  preferred: true,
}));

/** An API server that accepts every object and discards it, so that the memory of the process is that of its client. */
export function swallowingApi(): KubeApi & Discovery {
  const refuse = async (): Promise<never> => {
    throw kubeError('KUBE_NOT_FOUND', 'nothing is kept');
  };
  const create = async (_: ResourceType, object: object) => {
    const text = stringify(object);
    // Answers in a later turn of the event loop, as over a network.
    await new Promise(setImmediate);
    return parseExact(text);
  };
  return {
    create,
    get: refuse,
    list: refuse,
    update: refuse,
    patch: refuse,
    delete: refuse,
    watch: () => {
      throw kubeError('KUBE_NOT_FOUND', 'nothing is kept');
    },
    resourceTypes: async () => types,
    findResourceType: refuse,
  } as unknown as KubeApi & Discovery;
}
