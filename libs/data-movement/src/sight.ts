import type { Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import type { Informer } from '@lateen/kube-runtime';
import type { AgentRoster } from './agent-roster.ts';
import { CancelSightings } from './cancel-sightings.ts';
import { type Exposures, exposureKey } from './exposures.ts';
import { type Movement, type MovementKind, ownerOf } from './movement-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import { podSeen } from './pod-seen.ts';
import { ownerNode, type Seen, type SeenPod } from './seen.ts';
import { placeKey } from './slots.ts';

export interface SightPorts<T extends Movement> {
  kind: MovementKind<T>;
  node: string;
  clock: Clock;
  limits: MovementLimits;
  pods: Pick<Informer<Pod>, 'get'>;
  exposures: Exposures;
  roster: AgentRoster;
}

/** Gathers what a decision about a movement needs; makes no call. */
export class Sight<T extends Movement> {
  readonly #ports: SightPorts<T>;
  readonly #cancels: CancelSightings;
  /** When each was last explained; forgotten with the object. */
  readonly #explainedMs = new Map<string, number>();

  constructor(ports: SightPorts<T>) {
    this.#ports = ports;
    this.#cancels = new CancelSightings(ports.clock);
  }

  of(object: T, active: boolean): Seen {
    const { kind, node, clock, exposures, limits, roster } = this.#ports;
    const { uid } = ownerOf(object);
    const exposure = exposureKey(object);
    const explainedMs = this.#explainedMs.get(uid);
    return {
      object,
      words: kind.words,
      rank: kind.rank,
      node,
      nowMs: clock.now(),
      pod: this.podOf(object),
      exposure: exposures.stateOf(exposure),
      exposedForMs: exposures.doneForMs(exposure),
      explainedForMs: explainedMs === undefined ? undefined : clock.monotonicMs() - explainedMs,
      active,
      cancelSeenMs: this.#cancels.of(object),
      ownerLostForMs: roster.lostForMs(ownerNode(object)),
      limits,
    };
  }

  /** The hosting pod of the present attempt, as the watch shows it. */
  podOf(object: T): SeenPod | undefined {
    return podSeen(this.#ports.pods.get(keyOf(object)), object);
  }

  explained(object: T): void {
    this.#explainedMs.set(ownerOf(object).uid, this.#ports.clock.monotonicMs());
  }

  forget(object: T): void {
    this.#cancels.forget(object);
    this.#explainedMs.delete(ownerOf(object).uid);
  }

  /** Key of an object in the queue. */
  static key({ metadata }: Movement): string {
    return keyText({ namespace: metadata.namespace, name: metadata.name ?? '' });
  }
}

/** Its place in the lines for room and for slots. */
export const placeOf = (object: Movement): string => placeKey(object.kind, Sight.key(object));
