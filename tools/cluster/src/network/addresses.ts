/**
 * Addresses inside a cluster. They are the same in every cluster, because each has separate network namespaces; only the link to the host
 * must be unique on the machine.
 */
export const clusterNetwork = {
  /** The network of control plane and nodes. */
  nodeSubnet: '10.210.0.0/24',
  controlPlaneAddress: '10.210.0.1',
  prefixLength: 24,
  podSubnet: '10.244.0.0/16',
  serviceSubnet: '10.96.0.0/16',
  apiServiceAddress: '10.96.0.1',
  /** No server answers there; it is the resolver of pods, which fails immediately (no cluster DNS, machine.md section 3). */
  dnsServiceAddress: '10.96.0.10',
  apiServerPort: 6443,
  s3Port: 7070,
} as const;

/** A /24 of pods per node, and node addresses from .11 on. */
export const nodesMax = 100;
export const nodeAddress = (index: number): string => `10.210.0.${10 + index}`;
export const nodePodSubnet = (index: number): string => `10.244.${index}.0/24`;
