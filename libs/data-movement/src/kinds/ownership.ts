import type { DataDownload, DataUpload } from '@lateen/api-types';
import type { Movement, MovementPatch } from './movement-kind.ts';

/** Which node owns a movement, and how its object records that. */
export interface Ownership<T extends Movement> {
  /**
   * The node that runs it; before that the node that accepted it; before that the only node that may accept it; empty when no
   * node owns it.
   */
  nodeOf(object: T): string;
  /** The field of the object that names the running node, as a JSON pointer. */
  field: '/status/node' | '/spec/node';
  /** The volume is on one node only, so no other node can continue the movement. */
  isBound: boolean;
  /** The patch of a node that starts to prepare it; the movement runs nowhere then. */
  accepted(node: string): MovementPatch<T>;
  /** The patch of the node on which its hosting pod runs. */
  running(node: string): MovementPatch<T>;
}

/** Any node prepares it, and the node where the hosting pod runs continues it. */
export function ownedByAnyNode<T extends DataUpload | DataDownload>(): Ownership<T> {
  return {
    nodeOf: ({ status }) => status?.node || status?.acceptedByNode || '',
    field: '/status/node',
    isBound: false,
    accepted: (node) => ({ acceptedByNode: node, node: null }) as MovementPatch<T>,
    running: (node) => ({ node }) as MovementPatch<T>,
  };
}

/** Its data path runs on the node and holds a slot there, whether or not a process watches it yet. */
export const runsOn = <T extends Movement>(node: string, owner: Ownership<T>, object: T): boolean =>
  owner.nodeOf(object) === node && (object.status?.phase === 'InProgress' || object.status?.phase === 'Canceling');
