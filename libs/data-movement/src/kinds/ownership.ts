import type { DataDownload, DataUpload } from '@lateen/api-types';
import type { Movement, MovementPatch } from './movement-kind.ts';

/** Which node has a movement in hand, and how its object says so. */
export interface Ownership<T extends Movement> {
  /** The one that runs it, before that the one that accepted it, before that the only one that may; empty when nobody has it in hand. */
  nodeOf(object: T): string;
  /** The field of the object that names the node that runs it, as a JSON pointer. */
  field: '/status/node' | '/spec/node';
  /** The volume is on one node and nowhere else, so no other one can go on with it. */
  isBound: boolean;
  /** What a node writes that begins to prepare it; it does not run anywhere then. */
  accepted(node: string): MovementPatch<T>;
  /** What the node writes where its hosting pod runs. */
  running(node: string): MovementPatch<T>;
}

/** Any node prepares it, and the one where the hosting pod runs goes on with it. */
export function ownedByAnyNode<T extends DataUpload | DataDownload>(): Ownership<T> {
  return {
    nodeOf: ({ status }) => status?.node || status?.acceptedByNode || '',
    field: '/status/node',
    isBound: false,
    accepted: (node) => ({ acceptedByNode: node, node: null }) as MovementPatch<T>,
    running: (node) => ({ node }) as MovementPatch<T>,
  };
}

/** Its data path runs on the node; it holds a slot there, whether or not a process watches it yet. */
export const runsOn = <T extends Movement>(node: string, owner: Ownership<T>, object: T): boolean =>
  owner.nodeOf(object) === node && (object.status?.phase === 'InProgress' || object.status?.phase === 'Canceling');
