import type { Movement } from '@lateen/data-movement';
import type { FakeCluster } from '@lateen/testing';
import { movementTypes } from '../world/movement-types.ts';
import type { Chaos } from './chaos.ts';
import type { SimulatedAgents } from './simulated-agents.ts';
import type { SimulatedNodes } from './simulated-nodes.ts';

export interface Struck {
  cluster: FakeCluster;
  agents: SimulatedAgents;
  nodes: SimulatedNodes;
}

/** Carries out one fault. */
export function strike(chaos: Chaos, { cluster, agents, nodes }: Struck): void {
  switch (chaos.what) {
    case 'kill-agent':
      agents.kill(chaos.node, chaos.downMs);
      break;
    case 'stop-agent':
      agents.stop(chaos.node, chaos.downMs);
      break;
    case 'kill-agent-at-call':
      agents.dieAtCall(chaos.node, { call: chaos.call, when: chaos.when }, chaos.downMs);
      break;
    case 'lose-node':
      agents.kill(chaos.node, undefined);
      void nodes.lose(chaos.node, chaos.downMs).then(() => {
        if (nodes.isUp(chaos.node)) agents.start(chaos.node);
      });
      break;
    case 'delete-pod':
      nodes.deletePod(chaos.movement);
      break;
    case 'evict-pod':
      nodes.evictPod(chaos.movement);
      break;
    case 'cut-node':
      void nodes.partitions.cutNodeOf(chaos.movement, chaos.forMs);
      break;
    case 'cut-pod':
      void nodes.partitions.cutPod(chaos.movement, chaos.forMs);
      break;
    case 'touch':
      touch(cluster, chaos.movement);
      break;
    case 'break-watches':
      cluster.closeWatches({});
      break;
    case 'compact':
      cluster.compact();
      break;
    case 'bookmark':
      cluster.bookmark();
      break;
    default:
      chaos satisfies never;
  }
}

/** Another client writes something that does not matter to us. */
function touch(cluster: FakeCluster, name: string): void {
  for (const type of movementTypes) {
    const key = { namespace: 'velero', name };
    if (cluster.find(type, key) === undefined) continue;
    cluster.change<Movement>(type, key, ({ metadata }) => {
      const touched = Number(metadata.annotations?.touched ?? '0') + 1;
      metadata.annotations = { ...metadata.annotations, touched: String(touched) };
    });
  }
}
