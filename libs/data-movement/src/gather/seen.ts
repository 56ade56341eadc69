import type { Movement } from '../kinds/movement-kind.ts';
import type { MovementLimits } from '../movement-limits.ts';
import type { Rank } from '../slots.ts';
import type { ClientState } from './client-seen.ts';
import type { Worked } from './worked-on.ts';

/** The hosting pod of a movement's present attempt. */
export interface SeenPod {
  uid: string;
  running: boolean;
  ended: boolean;
  /** The kubelet of its node no longer reports. */
  unready: boolean;
  node: string;
  /** Size of its volume; 0 when the pod does not state it. */
  volumeBytes: number;
  /** It reaches the volume through the client pod's directory on the node, which is removed with that pod. */
  needsClient: boolean;
  /** Why it can never succeed. */
  failure?: string;
  /** The failure has nothing to do with the data: a new pod may succeed. */
  lost?: boolean;
}

/** Everything that is known of one movement at a decision. */
export interface Seen {
  object: Movement;
  /** How what this process last worked on under this name relates to the object. */
  worked: Worked;
  /** The kind as Velero spells it in messages: `data upload`. */
  words: string;
  /** The same in short: `PVB`. */
  shortWords: string;
  rank: Rank;
  /** The node that owns the movement; empty when none does. */
  owner: string;
  /** Only {@link owner} can run it. */
  isBound: boolean;
  /** Its data path holds a slot of this node. */
  runsHere: boolean;
  /** Our finalizer is there. */
  held: boolean;
  /** It is for another data mover. */
  isForAnother: boolean;
  /** This node may accept it. */
  mayBegin: boolean;
  /** State of its client pod as this node sees it; undefined where the movement has none. */
  client?: ClientState | undefined;
  /** The client pod uses its volume already, so a mover must not touch it any more. */
  isTooLate: boolean;
  /** This node. */
  node: string;
  nowMs: number;
  /** The hosting pod, if there is one. */
  pod?: SeenPod | undefined;
  /** Whether this process runs, or has finished, the exposure of the present attempt. */
  exposure: 'none' | 'running' | 'done';
  /** How long ago the exposure was done, in ms, when it is done. */
  exposedForMs?: number | undefined;
  /** How long ago this process last wrote why the movement waits, in ms; undefined when it has not. */
  explainedForMs?: number | undefined;
  /** This process watches the data path. */
  active: boolean;
  /** The data path that this process watches has ended; the process is recording that end, or completing the step before that. */
  ending: boolean;
  /** When this process first saw spec.cancel; epoch ms. */
  cancelSeenMs?: number | undefined;
  /**
   * When this process first saw that the movement had ended; epoch ms. Undefined while it runs, or when it has no finalizer of
   * ours.
   */
  endSeenMs?: number | undefined;
  /** For how long the owning node has had no node-agent, in ms; 0 when it has one. */
  ownerLostForMs: number;
  /** This node handles movements without an owner: it is the first of all nodes with a running node-agent. */
  standsIn: boolean;
  limits: Pick<
    MovementLimits,
    | 'prepareTimeoutMs'
    | 'forceCancelMs'
    | 'cancelForAnotherMs'
    | 'anotherNodeGraceMs'
    | 'agentLostMs'
    | 'podSeenWithinMs'
    | 'explainAfterMs'
    | 'explainEveryMs'
    | 'attempts'
  >;
}

/** This node continues the movement: it owns it, or has taken over the recording of an end that no other node can record. */
export const isMine = (seen: Seen): boolean => seen.owner === seen.node || (seen.active && standsInFor(seen));

const standsInFor = ({ isBound, standsIn, ownerLostForMs, limits }: Seen): boolean =>
  isBound && standsIn && ownerLostForMs >= limits.agentLostMs;
