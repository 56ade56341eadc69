import type { Pod } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { whyClientWaits } from '../decide/client-causes.ts';
import type { AgentRoster } from '../gather/agent-roster.ts';
import { readClient } from '../gather/read-client.ts';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import { writeWaitingNote } from '../status/write-note.ts';

export interface ClientWatchPorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  roster: Pick<AgentRoster, 'lostForMs'>;
}

/**
 * Reads the client pod of a movement from the API server, for states that the watch of this node does not show. Each call is one
 * read.
 */
export class ClientWatch<T extends Movement> {
  readonly #ports: ClientWatchPorts<T>;

  constructor(ports: ClientWatchPorts<T>) {
    this.#ports = ports;
  }

  /** Returns why the pod cannot be used any more; undefined while it can. */
  async loss(object: T, signal: AbortSignal): Promise<string | undefined> {
    return this.#problem(await this.#read(object, signal), object);
  }

  /**
   * Like {@link loss}; while the pod can be used, it also writes to status.message what the pod waits for. @throws KUBE_CONFLICT
   */
  async look(object: T, signal: AbortSignal): Promise<string | undefined> {
    const pod = await this.#read(object, signal);
    const problem = this.#problem(pod, object);
    if (problem !== undefined || pod === undefined) return problem;
    const cause = whyClientWaits(pod, (node) => this.#ports.roster.lostForMs(node));
    if (cause !== undefined) await writeWaitingNote(this.#ports, object, cause, signal);
    return undefined;
  }

  #problem(pod: Pod | undefined, object: T): string | undefined {
    const problem = this.#ports.kind.client?.problem(pod, object);
    return problem === undefined ? undefined : describeError(problem);
  }

  async #read(object: T, signal: AbortSignal): Promise<Pod | undefined> {
    const { kube, kind } = this.#ports;
    return kind.client && (await readClient(kube, kind.client.podOf(object), signal));
  }
}
