import { Hold, type HoldPorts } from './hold.ts';
import { Lease } from './lease.ts';
import type { Member } from './member.ts';
import { OverlapLocks } from './overlap-locks.ts';
import { pickReader } from './read-policy.ts';
import { verdictOf } from './verdict.ts';
import { type Area, wholeUnits } from './widen.ts';

/** The parts of the engine, replaceable so that a simulation test can put in a defective one. */
export interface ReplicaSetParts {
  locks(): OverlapLocks;
  hold(ports: HoldPorts): Hold;
  lease(o: ConstructorParameters<typeof Lease>[0]): Lease;
  pickReader(members: readonly Member[]): Member | undefined;
  /** What a change is filled up to while a replica is being rebuilt, and which area is locked meanwhile. */
  wholeUnits(area: Area, unit: number, size: number): Area;
  lockedArea(area: Area, whole: Area): Area;
  verdictOf: typeof verdictOf;
}

export const defaultParts: ReplicaSetParts = {
  locks: () => new OverlapLocks(),
  hold: (ports) => new Hold(ports),
  lease: (o) => new Lease(o),
  pickReader,
  wholeUnits,
  lockedArea: (_, whole) => whole,
  verdictOf,
};
