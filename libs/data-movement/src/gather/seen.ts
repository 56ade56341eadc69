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
  /** The kubelet of its node is no longer heard of. */
  unready: boolean;
  node: string;
  /** Of its volume; 0 when the pod does not tell. */
  volumeBytes: number;
  /** It reaches the volume through the client pod's directory on the node, which goes with that pod. */
  needsClient: boolean;
  /** Why it will never do its work. */
  failure?: string;
  /** The failure lies outside the data: a new pod may succeed. */
  lost?: boolean;
}

/** What is known of one movement when it is decided about. */
export interface Seen {
  object: Movement;
  /** What this process last worked on under its name, as against the object. */
  worked: Worked;
  /** As Velero spells the kind in messages: `data upload`. */
  words: string;
  /** The same in short: `PVB`. */
  shortWords: string;
  rank: Rank;
  /** The node that has it in hand; empty when none has. */
  owner: string;
  /** No other node than {@link owner} can do it. */
  isBound: boolean;
  /** Its data path holds a slot of this node. */
  runsHere: boolean;
  /** Our finalizer is there. */
  held: boolean;
  /** It is for a data mover that is not ours. */
  isForAnother: boolean;
  /** This node may accept it. */
  mayBegin: boolean;
  /** The pod whose volume it is, as this node shows it; undefined where there is none to look at. */
  client?: ClientState | undefined;
  /** That pod uses its volume already, and a mover may not touch it any more. */
  isTooLate: boolean;
  /** This node. */
  node: string;
  nowMs: number;
  /** The hosting pod, if there is one. */
  pod?: SeenPod | undefined;
  /** This process works on the exposure of the present attempt, or has done so. */
  exposure: 'none' | 'running' | 'done';
  /** How long ago the exposure was done, when it is. */
  exposedForMs?: number | undefined;
  /** How long ago this process last said why the movement waits; undefined when it has not. */
  explainedForMs?: number | undefined;
  /** This process watches the data path. */
  active: boolean;
  /** The data path that it watches is over, and it is recording that end, or doing what comes before. */
  ending: boolean;
  /** When this process first saw spec.cancel; epoch ms. */
  cancelSeenMs?: number | undefined;
  /** When this process first saw that it has ended; epoch ms. Undefined when it goes on, or nothing holds it any more. */
  endSeenMs?: number | undefined;
  /** For how long the node that has the movement in hand has had no node-agent; 0 when it has one. */
  ownerLostForMs: number;
  /** This node does what is nobody's: of all that have a node-agent at work, it is the first. */
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

/** This node goes on with it: it has it in hand, or has taken on to record the end of what nobody else can go on with. */
export const isMine = (seen: Seen): boolean => seen.owner === seen.node || (seen.active && standsInFor(seen));

const standsInFor = ({ isBound, standsIn, ownerLostForMs, limits }: Seen): boolean =>
  isBound && standsIn && ownerLostForMs >= limits.agentLostMs;
