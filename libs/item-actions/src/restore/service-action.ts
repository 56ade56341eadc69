import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { type AskedPorts, askedPortsOf, type Service, type ServiceSpec } from './node-ports.ts';

/**
 * Lets the cluster choose the addresses and node ports of a service, except for ports that a user has set (backup-and-restore.md
 * section 14). A service without an address (`None`) keeps none.
 */
export const serviceAction: RestoreItemAction = {
  name: 'velero.io/service',
  appliesTo: { includedResources: ['services'] },
  execute: async ({ item, itemFromBackup }, { restore, log }) => {
    const { spec } = item as Service;
    if (spec === undefined) return { updatedItem: item };
    const free = withoutAddresses(spec);
    if (restore.spec.preserveNodePorts === true || spec.type === 'ExternalName')
      return { updatedItem: { ...item, spec: free } };
    const asked = askedPortsOf(itemFromBackup, (reason) =>
      log.warn(
        { reason },
        'The applied configuration of the service cannot be read: node ports are kept as their fields say',
      ),
    );
    return { updatedItem: { ...item, spec: withoutPorts(free, asked) } };
  },
};

function withoutAddresses(spec: ServiceSpec): ServiceSpec {
  if (spec.clusterIP === 'None') return spec;
  const { clusterIP: _, clusterIPs: __, ...rest } = spec;
  return rest;
}

function withoutPorts({ healthCheckNodePort, ...spec }: ServiceSpec, asked: AskedPorts): ServiceSpec {
  const ports = spec.ports?.map((port) => {
    const { nodePort, ...free } = port;
    return nodePort === undefined || asked.nodePort(port) ? port : free;
  });
  const keepsHealth = healthCheckNodePort !== undefined && asked.healthCheckNodePort;
  return { ...spec, ...(ports === undefined ? {} : { ports }), ...(keepsHealth ? { healthCheckNodePort } : {}) };
}
