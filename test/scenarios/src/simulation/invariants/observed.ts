import type { Movement } from '@lateen/data-movement';
import type { KubeObject } from '@lateen/kube';
import type { StoredChange } from '@lateen/testing';
import { movementTypes } from '../../world/movement-types.ts';
import type { Ledger } from '../ledger.ts';

export type { Movement };

/** The writer: a process of a node-agent. */
export interface Writer {
  node: string;
  /** False for a request that is carried out after its process has died. */
  alive: boolean;
}

/** One change of a movement, with everything that is needed to check it. */
export interface Observed {
  now: Movement;
  /** Undefined when it was created. */
  before: Movement | undefined;
  /** Undefined when it was no node-agent of ours. */
  writer: Writer | undefined;
  nowMs: number;
}

/** State that a rule may use besides the change. */
export interface Surroundings {
  slots: number;
  attempts: number;
  ledger: Ledger;
  /** All movements in their current state. */
  movements(): readonly Movement[];
  /** When spec.cancel was first set, epoch ms. */
  canceledSinceMs(uid: string): number | undefined;
  /** The longest time in ms that the other agents may believe the node's agent to be away, including watch delays. */
  believedAwayMs(node: string): number;
  limits: {
    prepareTimeoutMs: number;
    cancelForAnotherMs: number;
    anotherNodeGraceMs: number;
    agentLostMs: number;
  };
}

/** A pure function that returns what is wrong with a change, or undefined. */
export type Invariant = (change: Observed, around: Surroundings) => string | undefined;

export function movementChange(change: StoredChange): { now: Movement; before: Movement | undefined } | undefined {
  const { object, previous, type } = change;
  if (type === 'DELETED' || !isMovement(object)) return undefined;
  return { now: object, before: previous !== undefined && isMovement(previous) ? previous : undefined };
}

export function isMovement(object: KubeObject): object is Movement {
  return movementTypes.some(({ kind }) => kind === object.kind);
}

export const phaseIn = (movement: Movement | undefined): string => movement?.status?.phase || 'New';

interface Placed {
  spec: { node?: string };
  status?: { node?: string; acceptedByNode?: string };
}

/** The node that owns the movement; written a second time on purpose, independent of the product. */
export function ownerIn(movement: Movement): string | undefined {
  const { spec, status } = movement as Placed;
  return status?.node || status?.acceptedByNode || spec.node || undefined;
}

export const isOfPod = ({ kind }: Movement): boolean => kind === 'PodVolumeBackup' || kind === 'PodVolumeRestore';

export const attemptsIn = (movement: Movement | undefined): number =>
  Number(movement?.metadata.annotations?.['lateen.dev/attempts'] ?? '1');
