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
  /** Of kinds that need it: whether the engine image of the object is on a node. A node without it counts as not available. */
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
  const { self, current, preferred } = seen;
  const availabilityOf = (node: string): Availability => {
    if (node === '' || seen.hasImage?.(node) === false) return 'no';
    return seen.available(node);
  };
  if (current === self && preferred === self) return 'mine';
  const preferredIs = availabilityOf(preferred);
  if (current === self) return keepsIt(preferredIs, availabilityOf(self), seen) ? 'mine' : 'leave';
  if (availabilityOf(self) !== 'yes' || availabilityOf(current) === 'unknown') return 'leave';
  if (preferred === self) return 'take';
  if (availabilityOf(current) === 'yes' || preferredIs !== 'no') return 'leave';
  const candidates = seen.nodes.filter((node) => availabilityOf(node) === 'yes');
  return rendezvousWinner(seen.key, candidates) === self ? 'take' : 'leave';
}

/** An owner without the image goes on while nobody has it: somebody has to say what is missing. */
function keepsIt(preferredIs: Availability, selfIs: Availability, { nodes, hasImage, available }: OwnerSeen): boolean {
  if (preferredIs === 'yes') return false;
  if (selfIs !== 'no') return true;
  return !nodes.some((node) => hasImage?.(node) !== false && available(node) === 'yes');
}
