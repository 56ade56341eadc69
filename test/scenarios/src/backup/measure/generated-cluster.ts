import {
  configMapType,
  namespaceType,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  secretType,
} from '@lateen/api-types';
import {
  apiVersionOf,
  type DiscoveredType,
  type KubeApi,
  kubeError,
  type ListOptions,
  parseExact,
  type ResourceType,
  type Unstructured,
} from '@lateen/kube';

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const text = 'listen 10.0.0.1:8080; version 1.2.3; retry after 0.5 s; '.repeat(8);

const namespaceOf = (at: number): string => `ns-${String(Math.floor(at / 150)).padStart(4, '0')}`;
const digits = (at: number): string => String(at).padStart(6, '0');

const managed = (what: string) => [
  {
    manager: 'kubectl',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-02T03:04:05Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      [`f:${what}`]: { '.': {}, 'f:a': {}, 'f:b': {} },
      'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
    },
  },
];

const metaOf = (name: string, at: number, namespace?: string) => ({
  name: `${name}-${digits(at)}`,
  ...(namespace === undefined ? {} : { namespace }),
  uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  resourceVersion: String(1_000_000 + at),
  creationTimestamp: '2026-01-02T03:04:05Z',
  labels: { app: `app-${at % 50}` },
  managedFields: managed(name),
});

interface GeneratedKind {
  type: ResourceType;
  count: number;
  object(at: number): object;
}

const volumes = 2_000;

/** 300,000 objects of about 1 KiB, 2,000 claims with their volumes and a pod each, in 1,000 namespaces. */
const kinds: readonly GeneratedKind[] = [
  {
    type: podType,
    count: volumes,
    object: (at) => ({
      metadata: metaOf('pod', at, namespaceOf(at)),
      spec: {
        containers: [{ name: 'main', image: 'example/app:1.2.3' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `claim-${digits(at)}` } }],
      },
      status: { phase: 'Running' },
    }),
  },
  {
    type: persistentVolumeClaimType,
    count: volumes,
    object: (at) => ({
      metadata: metaOf('claim', at, namespaceOf(at)),
      spec: { volumeName: `pv-${digits(at)}`, storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Bound' },
    }),
  },
  {
    type: persistentVolumeType,
    count: volumes,
    object: (at) => ({
      metadata: metaOf('pv', at),
      spec: {
        claimRef: { namespace: namespaceOf(at), name: `claim-${digits(at)}` },
        csi: { driver: 'd', volumeHandle: 'h' },
      },
    }),
  },
  {
    type: secretType,
    count: 98_000,
    object: (at) => ({
      metadata: metaOf('secret', at, namespaceOf(at)),
      data: { a: Buffer.from(text).toString('base64') },
      type: 'Opaque',
    }),
  },
  {
    type: configMapType,
    count: 195_000,
    object: (at) => ({ metadata: metaOf('map', at, namespaceOf(at)), data: { 'app.conf': text } }),
  },
  {
    type: namespaceType,
    count: 1_000,
    object: (at) => ({
      metadata: { name: `ns-${String(at).padStart(4, '0')}`, uid: `ns-${at}`, resourceVersion: '1' },
      status: { phase: 'Active' },
    }),
  },
];

export const generatedTypes: readonly DiscoveredType[] = kinds.map(({ type }) => ({
  ...type,
  verbs,
  shortNames: [],
  singular: type.kind.toLowerCase(),
  categories: [],
  subresources: [],
  preferred: true,
}));

/** The same objects in the order of an archive. */
export function* generatedItems(): Generator<{ type: ResourceType; object: Unstructured }> {
  for (const { type, count, object } of kinds)
    for (let at = 0; at < count; at++)
      yield { type, object: { apiVersion: apiVersionOf(type), kind: type.kind, ...object(at) } as Unstructured };
}

export const generatedObjects = kinds.reduce((sum, { count }) => sum + count, 0);

/**
 * An API server that generates its objects when they are requested and holds none, so that the memory of the process is that of its client.
 * Pages are text that is parsed, as over HTTP.
 */
export function generatedCluster(onServed: (objects: number) => void): KubeApi {
  let served = 0;
  const refuse = async (): Promise<never> => {
    throw kubeError('KUBE_NOT_FOUND', 'nothing but lists');
  };
  const list = async (type: ResourceType, { limit = 500, continue: token = '0', namespace }: ListOptions = {}) => {
    const kind = kinds.find((each) => each.type.resource === type.resource && each.type.group === type.group);
    if (kind === undefined || namespace !== undefined) throw kubeError('KUBE_NOT_FOUND', `no list of ${type.resource}`);
    const from = Number(token);
    const to = Math.min(from + limit, kind.count);
    const body = JSON.stringify(Array.from({ length: to - from }, (_, at) => kind.object(from + at)));
    const items = parseExact(body) as { apiVersion: string; kind: string }[];
    for (const item of items) {
      item.apiVersion = 'v1';
      item.kind = type.kind;
    }
    served += items.length;
    onServed(served);
    // Answers in a later turn of the event loop, as over a network.
    await new Promise(setImmediate);
    return {
      items,
      resourceVersion: '1',
      ...(to === kind.count ? {} : { continue: String(to), remaining: kind.count - to }),
    };
  };
  return {
    list,
    get: refuse,
    create: refuse,
    update: refuse,
    patch: refuse,
    delete: refuse,
    watch: () => {
      throw kubeError('KUBE_NOT_FOUND', 'nothing but lists');
    },
  } as unknown as KubeApi;
}
