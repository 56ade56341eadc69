import type { Unstructured } from '@lateen/kube';
import { invalid } from './api-error.ts';
import type { ObjectStore } from './store.ts';

const serviceType = { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true } as const;

interface ServicePort {
  port: number;
  protocol?: string;
  targetPort?: number | string;
  nodePort?: number;
}

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ports?: ServicePort[];
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  [field: string]: unknown;
}

const nodePorts = { first: 30_000, last: 32_767 };
const addressesMax = 65_000;

/**
 * Allocates what the API server gives a new Service: an address, node ports, and defaults. A dry run detects ports in use, but not
 * addresses in use.
 * @throws KUBE_INVALID when it requests what another Service has
 */
export function allocateService(store: ObjectStore, service: Unstructured, dryRun: boolean): void {
  const spec = (service.spec ?? {}) as ServiceSpec;
  const type = spec.type ?? 'ClusterIP';
  const ports = (spec.ports ?? []).map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port }));
  service.spec = { sessionAffinity: 'None', ...spec, type, ...(ports.length === 0 ? {} : { ports }) };
  if (type === 'ExternalName') return;
  const others = store.entries('/Service').map(({ object }) => (object.spec ?? {}) as ServiceSpec);
  const refuse = (why: string): never => {
    throw invalid(serviceType, service.metadata.name ?? '', why);
  };
  const asked = spec.clusterIP ?? spec.clusterIPs?.[0] ?? '';
  const clusterIP = dryRun && asked !== '' ? asked : addressFor(asked, others, refuse);
  const more = { clusterIP, clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  service.spec = { internalTrafficPolicy: 'Cluster', ...(service.spec as ServiceSpec), ...more };
  if (type === 'NodePort' || type === 'LoadBalancer') allocatePorts(service.spec as ServiceSpec, others, refuse);
}

function addressFor(asked: string, others: readonly ServiceSpec[], refuse: (why: string) => never): string {
  const taken = new Set(others.map(({ clusterIP }) => clusterIP));
  if (asked === 'None') return asked;
  if (asked !== '') {
    const why = `failed to allocate IP ${asked}: provided IP is already allocated`;
    return taken.has(asked) ? refuse(`spec.clusterIPs: Invalid value: ${JSON.stringify([asked])}: ${why}`) : asked;
  }
  for (let at = 2; at < addressesMax; at += 1) {
    const address = `10.96.${Math.floor(at / 256)}.${at % 256}`;
    if (!taken.has(address)) return address;
  }
  return refuse('spec.clusterIPs: Internal error: failed to allocate a serviceIP: range is full');
}

function allocatePorts(spec: ServiceSpec, others: readonly ServiceSpec[], refuse: (why: string) => never): void {
  const taken = new Set(others.flatMap((other) => [...(other.ports ?? []).map(portKey), healthKey(other)]));
  const take = (protocol: string, asked: number | undefined, field: string): number => {
    if (asked) {
      const why = 'provided port is already allocated';
      return taken.has(`${protocol} ${asked}`) ? refuse(`${field}: Invalid value: ${asked}: ${why}`) : asked;
    }
    for (let port = nodePorts.first; port <= nodePorts.last; port += 1) {
      if (!taken.has(`${protocol} ${port}`)) return port;
    }
    return refuse(`${field}: Internal error: failed to allocate a nodePort: range is full`);
  };
  spec.externalTrafficPolicy ??= 'Cluster';
  spec.ports = (spec.ports ?? []).map((port, at) => {
    const { protocol = 'TCP' } = port;
    const nodePort = take(protocol, port.nodePort, `spec.ports[${at}].nodePort`);
    taken.add(`${protocol} ${nodePort}`);
    return { ...port, nodePort };
  });
  if (spec.type !== 'LoadBalancer' || spec.externalTrafficPolicy !== 'Local') return;
  spec.healthCheckNodePort = take('TCP', spec.healthCheckNodePort, 'spec.healthCheckNodePort');
}

const portKey = ({ protocol = 'TCP', nodePort }: ServicePort): string => `${protocol} ${nodePort ?? 'none'}`;
const healthKey = ({ healthCheckNodePort }: ServiceSpec): string => `TCP ${healthCheckNodePort ?? 'none'}`;
