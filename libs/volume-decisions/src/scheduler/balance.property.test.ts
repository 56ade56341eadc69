import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AutoBalance, type BalanceSeen, decideBalance } from './balance.ts';
import type { ClusterFacts, DiskFacts } from './cluster-facts.ts';
import { aCluster, aDisk, aNode, aVolume, usualSettings } from './example-cluster.ts';
import { decideLocalReplica } from './locality.ts';
import type { PlacedReplica } from './place-request.ts';
import { withReplica } from './with-replica.ts';

const GiB = 1024n ** 3n;
const mayBe = fc.constantFrom('soft', 'hard') as fc.Arbitrary<'soft' | 'hard'>;
const disks = fc.array(fc.nat(100), { minLength: 1, maxLength: 2 });
const nodes = fc.array(fc.record({ zone: fc.constantFrom('a', 'b', 'c'), free: disks, open: fc.nat(9) }), {
  minLength: 1,
  maxLength: 6,
});
const worlds = fc.record({
  nodes,
  at: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  policies: fc.record({ zone: mayBe, node: mayBe, disk: mayBe }),
  mode: fc.constantFrom<AutoBalance>('least-effort', 'best-effort'),
  keep: fc.option(fc.nat(), { nil: undefined }),
  actualGiB: fc.nat(10),
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

function seenOf(world: World): BalanceSeen {
  const cluster = aCluster(
    ...world.nodes.map(({ zone, free, open }, n) =>
      aNode(`n${n}`, {
        zone,
        allowScheduling: open > 0,
        disks: free.map((gib, d) => aDisk(`n${n}-${d}`, { storageAvailable: BigInt(gib) * GiB })),
      }),
    ),
  );
  const all = [...cluster.nodes.values()].flatMap((node) => node.disks.map((disk) => ({ node, disk })));
  const replicas = world.at.map((n, index): PlacedReplica => {
    const { node, disk } = all[n % all.length] as (typeof all)[number];
    return { name: `r${index}`, node: node.name, diskID: disk.diskID, failed: false, mayReturn: false };
  });
  return {
    mode: world.mode,
    request: {
      volume: aVolume({ actualBytes: BigInt(world.actualGiB) * GiB }),
      replicas,
      leaving: new Set(),
      policies: world.policies,
    },
    numberOfReplicas: replicas.length,
    cluster: replicas.reduce((now, replica) => withReplica(now, replica, 10n * GiB), cluster),
    settings: { ...usualSettings, minimalAvailablePercentage: 5 },
    diskPressurePercentage: 80,
    ...(world.keep === undefined ? {} : { keepNode: `n${world.keep % world.nodes.length}` }),
  };
}

/** The world after the move: the new replica takes its room, and the other one frees its own. */
function after(seen: BalanceSeen, replaces: string, node: string, diskID: string, name: string): BalanceSeen {
  const { volume, replicas } = seen.request;
  const old = replicas.find((replica) => replica.name === replaces) as PlacedReplica;
  const next: PlacedReplica = { ...old, name, node, diskID };
  const counted = withReplica(withReplica(seen.cluster, next, volume.sizeBytes), old, -volume.sizeBytes);
  const used = (disk: DiskFacts): DiskFacts => {
    const change = (disk.diskID === diskID ? -1n : 0n) + (disk.diskID === old.diskID ? 1n : 0n);
    const storageAvailable = disk.storageAvailable + change * volume.actualBytes;
    return {
      ...disk,
      storageAvailable: storageAvailable > disk.storageMaximum ? disk.storageMaximum : storageAvailable,
    };
  };
  const cluster: ClusterFacts = {
    nodes: new Map([...counted.nodes].map(([key, each]) => [key, { ...each, disks: each.disks.map(used) }])),
  };
  return {
    ...seen,
    cluster,
    request: { ...seen.request, replicas: [...replicas.filter((each) => each !== old), next] },
  };
}

const spreadOf = ({ request, cluster }: BalanceSeen, of: (node: string) => string): number =>
  [...Map.groupBy(request.replicas, ({ node }) => of(cluster.nodes.get(node)?.name ?? '')).values()]
    .map((group) => group.length ** 2)
    .reduce((sum, square) => sum + square, 0);

it('stops moving in every cluster: no replica moves back and forth', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      let seen = seenOf(world);
      // Each move evens out zones or nodes, or relieves a full disk; this limits the number of moves.
      const movesMax = 6 * world.at.length;
      for (let moves = 0; moves <= movesMax; moves++) {
        const move = decideBalance(seen);
        if (move === undefined) return;
        const next = after(seen, move.replaces, move.place.node, move.place.diskID, `m${moves}`);
        const zone = (name: string) => seen.cluster.nodes.get(name)?.zone ?? '';
        if (world.mode === 'best-effort') expect(spreadOf(next, zone)).toBeLessThanOrEqual(spreadOf(seen, zone));
        seen = next;
      }
      expect.fail(`after ${movesMax} moves replicas still move`);
    }),
    { numRuns: 2000 },
  );
});

it('stops moving with data locality too: the local replica is created once and no later move removes it', () => {
  fc.assert(
    fc.property(worlds, fc.nat(), fc.constantFrom('disabled', 'least-effort', 'best-effort'), (world, at, mode) => {
      const node = `n${at % world.nodes.length}`;
      let seen: BalanceSeen = { ...seenOf(world), mode, keepNode: node };
      const isLocal = () => seen.request.replicas.some((replica) => replica.node === node);
      let came = isLocal();
      const movesMax = 6 * world.at.length + 1;
      for (let moves = 0; moves <= movesMax; moves++) {
        const local = decideLocalReplica({ ...seen, locality: 'best-effort', node });
        if (came) expect(local).toBeUndefined();
        const move = local !== undefined && 'move' in local ? local.move : decideBalance(seen);
        if (move === undefined) return;
        seen = after(seen, move.replaces, move.place.node, move.place.diskID, `m${moves}`);
        expect(seen.request.replicas).toHaveLength(seen.numberOfReplicas);
        expect(came && !isLocal()).toBe(false);
        came ||= isLocal();
      }
      expect.fail(`after ${movesMax} moves replicas still move`);
    }),
    { numRuns: 2000 },
  );
});
