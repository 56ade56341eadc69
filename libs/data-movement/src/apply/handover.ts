import { movementReasons, podType } from '@lateen/api-types';
import { keyOf, readObject } from '@lateen/kube';
import { again, type Outcome, settled } from '@lateen/kube-runtime';
import type { Exposing } from '../expose/exposing.ts';
import { isHostingPodOf } from '../gather/pod-seen.ts';
import { type Movement, type MovementKind, ownerOf } from '../kinds/movement-kind.ts';
import { beginNextAttempt, type NextAttemptPorts } from '../status/next-attempt.ts';

export interface HandoverPorts<T extends Movement> extends NextAttemptPorts {
  kind: MovementKind<T>;
  /** Tells the user about a movement; the reason is one of movementReasons. */
  tell(object: Movement, reason: string, message: string): void;
}

/** How soon to look again for a pod that the API server has and our watch does not show yet. */
const lateWatchMs = 2_000;

/**
 * Hands a movement over: to another node-agent, to another attempt, or to its cancellation. Each handover is one write, guarded
 * by resourceVersion; the watch then puts the key into the queue again.
 */
export class Handover<T extends Movement> {
  readonly #ports: HandoverPorts<T>;
  readonly #exposing: Exposing<T>;

  constructor(ports: HandoverPorts<T>, exposing: Exposing<T>) {
    this.#ports = ports;
    this.#exposing = exposing;
  }

  async requestCancel(object: T, message: string, signal: AbortSignal): Promise<Outcome> {
    return await this.#write(object, { spec: { cancel: true }, status: { message } }, signal);
  }

  /** Takes over a movement of another node whose node-agent is lost: to expose it again, or to record its end. */
  async takeOver(how: 'take-over' | 'adopt', object: T, signal: AbortSignal): Promise<Outcome> {
    const { kind, node, tell } = this.#ports;
    const status = how === 'adopt' ? kind.owner.running(node) : kind.owner.accepted(node);
    const outcome = await this.#write(object, { status }, signal);
    const before = kind.owner.nodeOf(object);
    tell(object, movementReasons.takenOver, `node ${node} continues with it: node ${before} has no running node-agent`);
    return outcome;
  }

  /**
   * Begins another attempt because the hosting pod is lost. `podSeen` means that the watch shows the pod, and that it shows it as
   * lost.
   */
  async tryAgain(
    object: T,
    { cause, podSeen }: { cause: string; podSeen: boolean },
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (!podSeen && (await this.#podIsThere(object, signal)))
      return again(lateWatchMs, 'the watch is late: the pod is there');
    await this.#exposing.stop(object);
    await beginNextAttempt(this.#ports, this.#ports.kind, object, { cause, moverEnded: false }, signal);
    this.#ports.tell(object, movementReasons.attemptLost, cause);
    return settled;
  }

  /** When the watch does not show the pod, it may only lag behind. The API server is asked, so that no attempt is wasted. */
  async #podIsThere(object: T, signal: AbortSignal): Promise<boolean> {
    const { namespace, name } = ownerOf(object);
    const pod = await readObject(this.#ports.kube, podType, { namespace, name }, signal);
    return pod !== undefined && isHostingPodOf(pod, object) && pod.metadata.deletionTimestamp === undefined;
  }

  async #write(object: T, body: object, signal: AbortSignal): Promise<Outcome> {
    const { kube, kind } = this.#ports;
    const guarded = { ...body, metadata: { resourceVersion: object.metadata.resourceVersion } };
    await kube.patch(kind.type, keyOf(object), { type: 'merge', body: guarded }, { signal });
    return settled;
  }
}
