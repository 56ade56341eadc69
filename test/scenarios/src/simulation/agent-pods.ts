import { podType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { aPod, type FakeCluster } from '@lateen/testing';

interface Presence {
  here: boolean;
  sinceMs: number;
  /** Duration of the last absence. */
  awayMs: number;
}

/** A delayed watch shows the state of this time ago. */
export const latenessMs = 60_000;

/** The pods of the DaemonSet, by which the agents know each other. */
export class AgentPods {
  readonly #cluster: FakeCluster;
  readonly #clock: Clock;
  readonly #presence = new Map<string, Presence>();

  constructor(cluster: FakeCluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  comes(node: string): void {
    const before = this.#presence.get(node);
    const nowMs = this.#clock.now();
    this.#presence.set(node, { here: true, sinceMs: nowMs, awayMs: before === undefined ? 0 : nowMs - before.sinceMs });
    this.#cluster.put(agentPod(node, 'True'));
  }

  goes(node: string): void {
    // An agent whose node does not report may die as well.
    if (this.isHere(node)) this.#presence.set(node, { here: false, sinceMs: this.#clock.now(), awayMs: 0 });
    const pod = agentPod(node, 'False');
    if (this.#cluster.find(podType, keyOf(pod)) !== undefined) this.#cluster.put(pod);
  }

  isHere(node: string): boolean {
    return this.#presence.get(node)?.here === true;
  }

  /** See {@link SimulatedAgents.believedAwayMs}. */
  believedAwayMs(node: string): number {
    const presence = this.#presence.get(node);
    if (presence === undefined) return Number.POSITIVE_INFINITY;
    const lastedMs = this.#clock.now() - presence.sinceMs;
    if (!presence.here) return lastedMs;
    return lastedMs < latenessMs ? presence.awayMs + lastedMs : 0;
  }
}

const agentPod = (node: string, ready: 'True' | 'False') =>
  aPod({
    name: `node-agent-${node}`,
    labels: { name: 'node-agent' },
    nodeName: node,
    phase: 'Running',
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
