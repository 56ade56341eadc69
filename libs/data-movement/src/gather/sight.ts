import { isTerminalPhase, type Pod } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { keyOf, keyText } from '@lateen/kube';
import type { Informer } from '@lateen/kube-runtime';
import { type Exposures, exposureKey } from '../expose/exposures.ts';
import { type Movement, type MovementKind, ownerOf } from '../kinds/movement-kind.ts';
import type { MovementLimits } from '../movement-limits.ts';
import { placeKey } from '../slots.ts';
import type { AgentRoster } from './agent-roster.ts';
import { type ClientState, clientSeen } from './client-seen.ts';
import { kindFacts } from './kind-facts.ts';
import { podSeen } from './pod-seen.ts';
import type { Seen, SeenPod } from './seen.ts';
import { Sightings } from './sightings.ts';
import type { WorkedOn } from './worked-on.ts';

export interface SightPorts<T extends Movement> {
  kind: MovementKind<T>;
  node: string;
  clock: Clock;
  limits: MovementLimits;
  pods: Pick<Informer<Pod>, 'get'>;
  /** The pods of this node whose volumes may be moved; absent where no such volumes are moved. */
  clients?: Pick<Informer<Pod>, 'get'> | undefined;
  exposures: Exposures;
  roster: AgentRoster;
}

/** Gathers the facts for a decision about a movement; makes no call. */
export class Sight<T extends Movement> {
  readonly #ports: SightPorts<T>;
  readonly #worked: WorkedOn<T>;
  readonly #cancels: Sightings;
  readonly #ends: Sightings;
  readonly #begins: Sightings;
  /** When each movement was last explained, by key; removed with the object. */
  readonly #explained = new Map<string, { uid: string; ms: number }>();

  constructor(ports: SightPorts<T>, worked: WorkedOn<T>) {
    this.#ports = ports;
    this.#worked = worked;
    this.#cancels = new Sightings(ports.clock);
    this.#ends = new Sightings(ports.clock);
    this.#begins = new Sightings(ports.clock);
  }

  of(object: T, { active, ending }: Pick<Seen, 'active' | 'ending'>): Seen {
    const { kind, node, clock, exposures, limits, roster } = this.#ports;
    const exposure = exposureKey(object);
    const ended = isTerminalPhase(object.status?.phase);
    const facts = kindFacts(kind, object, node);
    const { owner, isBound, held } = facts;
    const client = this.#clientOf(object);
    const isTooLate = client !== undefined && kind.client?.isTooLate(client, facts.runsHere) === true;
    const mayBeOurs = !isBound || owner === '' || owner === node;
    return {
      ...facts,
      object,
      worked: this.#worked.relationTo(object),
      mayBegin: mayBeOurs && (kind.client === undefined || (client !== undefined && kind.client.mayBegin(client))),
      client,
      isTooLate,
      node,
      nowMs: clock.now(),
      pod: this.podOf(object),
      exposure: exposures.stateOf(exposure),
      exposedForMs: exposures.doneForMs(exposure),
      explainedForMs: this.#explainedForMs(object),
      active,
      ending,
      cancelSeenMs: this.#cancels.since(object, !ended && object.spec.cancel === true),
      endSeenMs: this.#ends.since(object, ended && held),
      ownerLostForMs: this.#lostForMs(object, owner),
      standsIn: roster.first === node,
      limits,
    };
  }

  /**
   * Only the node-agent of that node starts a data path there, so the agent was running at that time, whatever the readiness of
   * its pod says: after a network partition a pod works again some seconds before Kubernetes marks it ready.
   */
  #lostForMs(object: T, owner: string): number {
    const { roster, clock } = this.#ports;
    const begunMs = this.#begins.since(object, object.status?.phase === 'InProgress');
    const lostForMs = roster.lostForMs(owner);
    if (lostForMs === 0 || begunMs === undefined) return lostForMs;
    return Math.max(Math.min(lostForMs, clock.now() - begunMs), 1);
  }

  /** The hosting pod of the present attempt, as the watch shows it. */
  podOf(object: T): SeenPod | undefined {
    return podSeen(this.#ports.pods.get(keyOf(object)), object);
  }

  #clientOf(object: T): ClientState | undefined {
    const { kind, clients } = this.#ports;
    const named = kind.client?.podOf(object);
    return named === undefined || clients === undefined ? undefined : clientSeen(clients.get(named), named);
  }

  explained(object: T): void {
    this.#explained.set(Sight.key(object), { uid: ownerOf(object).uid, ms: this.#ports.clock.monotonicMs() });
  }

  #explainedForMs(object: T): number | undefined {
    const explained = this.#explained.get(Sight.key(object));
    return explained?.uid === object.metadata.uid && explained !== undefined
      ? this.#ports.clock.monotonicMs() - explained.ms
      : undefined;
  }

  forget(key: string): void {
    for (const each of [this.#cancels, this.#ends, this.#begins]) each.forget(key);
    this.#explained.delete(key);
  }

  /** Key of an object in the work queue. */
  static key({ metadata }: Movement): string {
    return keyText({ namespace: metadata.namespace, name: metadata.name ?? '' });
  }
}

/** Its place in the queues for preparation and for slots. */
export const placeOf = (object: Movement): string => placeKey(object.kind, Sight.key(object));
