import { rendezvousWinner } from './rendezvous-winner.ts';

/** `unknown`: nobody could say, since the API server did not answer or leases are not read yet. */
export type Availability = 'yes' | 'no' | 'unknown';

export interface OwnerSeen {
  /** The node of the manager that asks. */
  readonly self: string;
  /** `status.ownerID`; "" for nobody. */
  readonly current: string;
  /** `preferredOwner`; "" for nobody. */
  readonly preferred: string;
  /** All nodes that have a manager or had one. */
  readonly nodes: readonly string[];
  /** Whether the manager of a node is at work (`managerAvailability`). */
  available(node: string): Availability;
  /**
   * Of kinds that need it: whether the engine image of the object is on a node. A node without it counts as not available, but only while a
   * manager that may be at work has it: else nobody would work on the object, and say what is missing.
   */
  hasImage?(node: string): boolean;
  /** Identity of the object, `<kind>/<name>`: spreads objects that nobody is preferred for. */
  readonly key: string;
}

/**
 * Whether this manager works on an object (`mine`), is to write itself into `status.ownerID` first (`take`), or leaves it alone. The
 * preferred owner takes it from anybody; otherwise whoever has it keeps it, and it only goes on from a node that is not available, to
 * the one that all managers agree on. While it is not known whether the owner is available nothing changes hands.
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
