import type { csi } from '@lateen/csi';

/** Longhorn's key. A volume itself can be used everywhere; it is there to ask for the room of one node. */
export const hostnameKey = 'kubernetes.io/hostname';

export const topologyOfNode = (nodeId: string): csi.Topology => ({ segments: { [hostnameKey]: nodeId } });
