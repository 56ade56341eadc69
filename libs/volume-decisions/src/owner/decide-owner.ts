import { rendezvousWinner } from './rendezvous-winner.ts';

/** `unknown`: the API server did not answer, or the leases have not been read yet. */
export type Availability = 'yes' | 'no' | 'unknown';

export interface OwnerSeen {
  /** The node of the manager that decides. */
  readonly self: string;
  /** `status.ownerID`; "" for nobody. */
  readonly current: string;
  /** `preferredOwner`; "" for nobody. */
  readonly preferred: string;
  /** All nodes that have or had a manager. */
  readonly nodes: readonly string[];
  /** Whether the manager of a node is at work (`managerAvailability`). */
  available(node: string): Availability;
  /**
   * For kinds that need it: whether the engine image of the object is on a node. A node without the image counts as not
   * available, but only while a node with the image may have a working manager: otherwise nobody would handle the object and
   * report what is missing.
   */
  hasImage?(node: string): boolean;
  /** Identity of the object, `<kind>/<name>`: distributes objects that have no preferred owner. */
  readonly key: string;
}

/**
 * Whether this manager works on an object (`mine`), has to write itself into `status.ownerID` first (`take`), or ignores it
 * (`leave`). The preferred owner takes the object from any owner; otherwise the current owner keeps it. The object leaves a node
 * only when that node is not available, and goes to the node that all managers agree on. While it is unknown whether the owner is
 * available, the owner does not change.
 */
export function decideOwner(seen: OwnerSeen): 'mine' | 'take' | 'leave' {
  const { self, current, preferred, nodes, hasImage } = seen;
  if (current === self && preferred === self) return 'mine';
  const imageCounts = hasImage !== undefined && nodes.some((node) => hasImage(node) && seen.available(node) !== 'no');
  const availabilityOf = (node: string): Availability =>
    node === '' || (imageCounts && !hasImage(node)) ? 'no' : seen.available(node);
  const candidates = nodes.filter((node) => availabilityOf(node) === 'yes');
  const preferredIs = availabilityOf(preferred);
  if (current === self) {
    const isBetterOff = preferredIs === 'yes' || (availabilityOf(self) === 'no' && candidates.length > 0);
    return isBetterOff ? 'leave' : 'mine';
  }
  if (availabilityOf(self) !== 'yes' || availabilityOf(current) === 'unknown') return 'leave';
  if (preferred === self) return 'take';
  if (availabilityOf(current) === 'yes' || preferredIs !== 'no') return 'leave';
  return rendezvousWinner(seen.key, candidates) === self ? 'take' : 'leave';
}
