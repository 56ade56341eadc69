import type { Unstructured } from '@lateen/api-types';
import { describeError } from '@lateen/errors';

export interface ServicePort {
  name?: string;
  port?: number;
  protocol?: string;
  nodePort?: number;
  [field: string]: unknown;
}

export interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ports?: ServicePort[];
  healthCheckNodePort?: number;
  [field: string]: unknown;
}

export interface Service extends Unstructured {
  spec?: ServiceSpec;
}

/** The node ports of a service that a user has set, and those that the cluster has chosen. */
export interface AskedPorts {
  nodePort(port: ServicePort): boolean;
  healthCheckNodePort: boolean;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Ports that a user has set are in the configuration that kubectl has applied; without one, the managed fields show who has set
 * them.
 * @param onUnreadable called when the configuration cannot be read; the managed fields are used then
 */
export function askedPortsOf(service: Unstructured, onUnreadable: (reason: string) => void): AskedPorts {
  const text = service.metadata.annotations?.[lastApplied] ?? '';
  if (text === '') return setByManagers(service);
  try {
    const parsed: unknown = JSON.parse(text);
    const spec = isObject(parsed) && isObject(parsed.spec) ? (parsed.spec as ServiceSpec) : {};
    return applied(spec);
  } catch (error) {
    onUnreadable(describeError(error));
    return setByManagers(service);
  }
}

/** Ports with a name are matched by it, the others by their number. */
function applied({ ports, healthCheckNodePort = 0 }: ServiceSpec): AskedPorts {
  const asked = (Array.isArray(ports) ? ports : []).filter(({ nodePort = 0 }) => nodePort > 0);
  const names = new Set(asked.flatMap(({ name = '' }) => (name === '' ? [] : [name])));
  const numbers = new Set(asked.filter(({ name = '' }) => name === '').map(({ nodePort }) => nodePort));
  return {
    nodePort: ({ name = '', nodePort }) => (name === '' ? numbers.has(nodePort) : names.has(name)),
    healthCheckNodePort: healthCheckNodePort > 0,
  };
}

/** Ports that the API server chose have no entry in the managed fields. */
function setByManagers({ metadata }: Unstructured): AskedPorts {
  const entries = Array.isArray(metadata.managedFields) ? (metadata.managedFields as unknown[]) : [];
  const specs = entries.map((entry) => fieldOf(fieldOf(entry, 'fieldsV1'), 'f:spec'));
  const asked = new Set<string>();
  for (const ports of specs.map((spec) => fieldOf(spec, 'f:ports')))
    for (const [key, fields] of Object.entries(isObject(ports) ? ports : {}))
      if (fieldOf(fields, 'f:nodePort') !== undefined) asked.add(portOfKey(key));
  return {
    nodePort: (port) => asked.has(portText(port)),
    healthCheckNodePort: specs.some((spec) => fieldOf(spec, 'f:healthCheckNodePort') !== undefined),
  };
}

/** The port number in a key such as `k:{"port":80,"protocol":"TCP"}`. */
function portOfKey(key: string): string {
  if (!key.startsWith('k:')) return '';
  try {
    return portText(JSON.parse(key.slice(2)) as ServicePort);
  } catch {
    return '';
  }
}

const portText = ({ port, protocol = 'TCP' }: ServicePort): string => `${port}/${protocol}`;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldOf = (value: unknown, field: string): unknown => (isObject(value) ? value[field] : undefined);
