import type { Movement } from '../kinds/movement-kind.ts';
import type { MovementLimits } from '../movement-limits.ts';
import type { Rank } from '../slots.ts';
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
  /** As the reference spells the kind in messages: `data upload`. */
  words: string;
  rank: Rank;
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

/** The node that has the movement in hand: the one that runs it, before that the one that accepted it. */
export const ownerNode = ({ status }: Movement): string => status?.node || status?.acceptedByNode || '';

/** Its data path holds a slot of this node, whether or not this process watches it yet. */
export const runsOn = (node: string, { status }: Movement): boolean =>
  status?.node === node && (status.phase === 'InProgress' || status.phase === 'Canceling');
