import { type Node, nodeType } from '@lateen/api-types';
import { keyText } from '@lateen/kube';
import type { Watch } from '@lateen/kube-runtime';
import {
  type LonghornNode,
  longhornGroup,
  longhornNodeType,
  longhornVersion,
  storageAnnotations,
} from '@lateen/storage-types';
import type { Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';

interface KubernetesNodeSeen {
  readonly kubernetesNode: Node;
  readonly node: LonghornNode | undefined;
}
type KubernetesNodeEffect = { readonly do: 'create-node' };

/**
 * Creates the longhorn Node of the node that this manager runs on: when a manager runs there for the first time, and again when the object was
 * deleted meanwhile. The controller of the longhorn Node reads the state of the Kubernetes Node (cordon, conditions, zone).
 */
export function kubernetesNodeRoom(context: RoomContext): Room<Node, KubernetesNodeSeen, KubernetesNodeEffect> {
  const { caches, namespace, self } = context;
  return {
    name: 'kubernetes-node',
    type: nodeType,
    informer: caches.kubernetesNodes,
    ownership: ({ metadata }) => (metadata.name === self ? 'mine' : 'leave'),
    watches: [deletedNodes(context)],
    workers: 1,
    gather: (kubernetesNode) => ({ kubernetesNode, node: caches.nodes.get({ namespace, name: self }) }),
    // Nothing is ever written to a Kubernetes Node.
    decide: ({ kubernetesNode, node }) => ({
      status: kubernetesNode.status ?? {},
      effects:
        node === undefined && kubernetesNode.metadata.deletionTimestamp === undefined ? [{ do: 'create-node' }] : [],
      events: [],
    }),
    apply: async (_, { writes }) => {
      context.log.info({ node: self }, 'the node of this manager is made');
      await writes.create(longhornNodeType, newNode(self, namespace));
      return undefined;
    },
  };
}

/** The node controller adds disks and tags, once the node's host has inspected the disk. */
export const newNode = (name: string, namespace: string): LonghornNode => ({
  apiVersion: `${longhornGroup}/${longhornVersion}`,
  kind: longhornNodeType.kind,
  metadata: { name, namespace, annotations: { [storageAnnotations.defaultDisks]: 'wanted' } },
  spec: { name, allowScheduling: true, evictionRequested: false, tags: [], disks: {}, instanceManagerCPURequest: 0 },
});

const deletedNodes = ({ caches, self }: RoomContext): Watch => ({
  informer: caches.nodes,
  feed: (queue) => {
    caches.nodes.onChange(({ type, object }) => {
      if (type === 'deleted' && object.metadata.name === self) queue.add(keyText({ name: self }));
    });
  },
});
