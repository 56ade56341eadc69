import { nodesWithAgent } from '@lateen/item-actions';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** So old a list may be before a node that it does not have is looked for again. */
const freshMs = 10_000;

/** On which nodes a node-agent runs, as one backup asks it for each of its pods: one list for all of them, and another one when a node is missing. */
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
