import { nodesWithAgent } from '@lateen/item-actions';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** The age of a list after which it is read again when it lacks a node. */
const freshMs = 10_000;

/** The nodes with a node-agent, for the pods of one backup: one list for all pods, and another one when a node is missing. */
export class NodeAgents {
  readonly #parts: { kube: KubeApi; clock: Clock; veleroNamespace: string };
  #listing: Promise<ReadonlySet<string>> | undefined;
  #listedAtMs = 0;

  constructor(parts: { kube: KubeApi; clock: Clock; veleroNamespace: string }) {
    this.#parts = parts;
  }

  /** @throws KUBE_… */
  async runsOn(node: string, signal: AbortSignal): Promise<boolean> {
    if ((await this.#nodes(signal)).has(node)) return true;
    if (this.#parts.clock.monotonicMs() - this.#listedAtMs >= freshMs) this.#listing = undefined;
    return (await this.#nodes(signal)).has(node);
  }

  #nodes(signal: AbortSignal): Promise<ReadonlySet<string>> {
    this.#listing ??= this.#list(signal).catch((error: unknown) => {
      this.#listing = undefined;
      throw error;
    });
    return this.#listing;
  }

  async #list(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { kube, clock, veleroNamespace: namespace } = this.#parts;
    this.#listedAtMs = clock.monotonicMs();
    return await nodesWithAgent(kube, namespace, signal);
  }
}
