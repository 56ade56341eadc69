import type { DiskFacts, NodeFacts } from './cluster-facts.ts';
import { usableBytes } from './disk-room.ts';
import { diskKey, type UsedPlaces } from './used-places.ts';

/** A disk that a replica may go to. */
export interface Candidate {
  readonly node: NodeFacts;
  readonly disk: DiskFacts;
}

/** Keeps the best of some candidates, at least one of them; the next score chooses among these. */
export type Score = (pool: readonly Candidate[], used: UsedPlaces) => readonly Candidate[];

export const hasNoReplica = ({ node, disk }: Candidate, used: UsedPlaces): boolean =>
  !used.disks.has(diskKey(node.name, disk.diskID));

const diskWithoutReplica: Score = (pool, used) => {
  const free = pool.filter((candidate) => hasNoReplica(candidate, used));
  return free.length > 0 ? free : pool;
};

/** The node with the most usable space, of its disks in the pool: taking from it leaves the nodes most even. */
const evenUsableSpaceOfNode: Score = (pool) => {
  const ofNode = new Map<string, bigint>();
  for (const { node, disk } of pool) ofNode.set(node.name, (ofNode.get(node.name) ?? 0n) + usableBytes(disk));
  return largest(pool, ({ node }) => ofNode.get(node.name) ?? 0n);
};

const evenUsableSpaceOfDisk: Score = (pool) => largest(pool, ({ disk }) => usableBytes(disk));

/** Ties end by name, so that two managers choose alike. */
const name: Score = (pool) => [pool.reduce((first, other) => (isBefore(other, first) ? other : first))];

export const scores: readonly Score[] = [diskWithoutReplica, evenUsableSpaceOfNode, evenUsableSpaceOfDisk, name];

function largest(pool: readonly Candidate[], of: (candidate: Candidate) => bigint): readonly Candidate[] {
  const most = pool.map(of).reduce((a, b) => (a > b ? a : b));
  return pool.filter((candidate) => of(candidate) === most);
}

function isBefore(a: Candidate, b: Candidate): boolean {
  if (a.node.name !== b.node.name) return a.node.name < b.node.name;
  return a.disk.name < b.disk.name;
}
