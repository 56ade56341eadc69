import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterFacts, DiskFacts, NodeFacts } from './cluster-facts.ts';
import { aCluster, aDisk, aNode, aVolume } from './example-cluster.ts';
import { isPlace, placeReplica } from './place-replica.ts';
import type { PlacedReplica, PlaceRequest, SchedulerSettings } from './place-request.ts';
import { withReplica } from './with-replica.ts';

const runs = { numRuns: Number(process.env.LATEEN_SCHEDULER_RUNS ?? 250) };

/** Few distinct values, so that ties occur; some at the limit of what a double can tell apart. */
const bytes = fc.oneof(fc.bigInt(0n, 40n), fc.bigInt(2n ** 53n - 20n, 2n ** 53n + 20n));
const likely = fc.integer({ min: 0, max: 5 }).map((die) => die > 0);
const unlikely = likely.map((value) => !value);
const tags = fc.subarray(['ssd', 'big']);
const disk = fc.record<Omit<DiskFacts, 'name' | 'diskID' | 'path'>>({
  schedulable: likely,
  allowScheduling: likely,
  evictionRequested: unlikely,
  tags,
  storageMaximum: bytes,
  storageAvailable: bytes,
  storageReserved: fc.bigInt(0n, 5n),
  storageScheduled: bytes,
});
const node = fc.record({
  zone: fc.constantFrom('', 'a', 'b', 'c'),
  ready: likely,
  schedulable: likely,
  allowScheduling: likely,
  evictionRequested: unlikely,
  cordoned: unlikely,
  managerIsUp: likely,
  engineImages: likely.map((has) => new Set(has ? ['image'] : [])),
  tags,
  disks: fc.array(disk, { maxLength: 5 }),
});
const cluster = fc
  .array(node, { minLength: 1, maxLength: 12 })
  .map((nodes) =>
    nodes.map((parts, n) =>
      aNode(`n${n}`, { ...parts, disks: parts.disks.map((facts, d) => aDisk(`n${n}-${'abcde'[d]}`, facts)) }),
    ),
  );
const softOrHard = fc.constantFrom('soft', 'hard');
const settings = fc.record<SchedulerSettings>({
  overProvisioningPercentage: fc.constantFrom(0, 33, 100, 200),
  minimalAvailablePercentage: fc.constantFrom(0, 25, 100),
  disableSchedulingOnCordonedNode: fc.boolean(),
  allowEmptyNodeSelector: fc.boolean(),
  allowEmptyDiskSelector: fc.boolean(),
});
const replica = fc.record({
  at: fc.nat(40),
  failed: unlikely,
  mayReturn: fc.boolean(),
  leaving: unlikely,
});
const world = fc
  .record({
    nodes: cluster,
    settings,
    replicas: fc.array(replica, { maxLength: 4 }),
    policies: fc.record({ zone: softOrHard, node: softOrHard, disk: softOrHard }),
    volume: fc.record({ sizeBytes: bytes, actualBytes: fc.bigInt(0n, 9n), nodeSelector: tags, diskSelector: tags }),
    node: fc.option(fc.record({ name: fc.constantFrom('n0', 'n1', 'n99'), hard: fc.boolean() }), { nil: undefined }),
  })
  .map(({ nodes, settings: chosen, replicas, policies, volume, node: asked }) => {
    const all = nodes.flatMap((facts) => facts.disks.map(({ diskID }) => ({ node: facts.name, diskID })));
    const placed = replicas.flatMap<PlacedReplica>(({ at, failed, mayReturn }, n) => {
      const place = all[at % Math.max(all.length, 1)];
      return place === undefined ? [] : [{ name: `r${n}`, ...place, failed, mayReturn }];
    });
    const request: PlaceRequest = {
      volume: aVolume(volume),
      replicas: placed,
      leaving: new Set(replicas.flatMap(({ leaving }, n) => (leaving ? [`r${n}`] : []))),
      policies,
      ...(asked === undefined ? {} : asked.hard ? { hardNode: asked.name } : { preferNode: asked.name }),
    };
    return { nodes, request, settings: chosen };
  });

/** An independent, simple implementation of the rules from the sheet: each disk that may hold a replica, with its rank. */
function allowedPlaces(nodes: readonly NodeFacts[], request: PlaceRequest, s: SchedulerSettings): Map<string, number> {
  const { volume, policies } = request;
  const taking = request.replicas.filter(({ failed, mayReturn }) => !failed || mayReturn);
  const staying = taking.filter(({ name }) => !request.leaving.has(name));
  const zone = (name: string) => nodes.find((each) => each.name === name)?.zone;
  const fits = (have: readonly string[], want: readonly string[], empty: boolean) =>
    want.length > 0 ? want.every((tag) => have.includes(tag)) : empty || have.length === 0;
  const places = new Map<string, number>();
  for (const n of nodes) {
    if (request.hardNode !== undefined && n.name !== request.hardNode) continue;
    if (!n.ready || !n.schedulable || !n.allowScheduling || n.evictionRequested || !n.managerIsUp) continue;
    if (n.cordoned && s.disableSchedulingOnCordonedNode) continue;
    if (!n.engineImages.has(volume.image) || !fits(n.tags, volume.nodeSelector, s.allowEmptyNodeSelector)) continue;
    const zoneStays = staying.some((r) => zone(r.node) === n.zone);
    const nodeStays = staying.some((r) => r.node === n.name);
    if (policies.zone === 'hard' && (zoneStays || nodeStays)) continue;
    if (policies.node === 'hard' && nodeStays) continue;
    for (const d of n.disks) {
      if (!d.schedulable || !d.allowScheduling || d.evictionRequested) continue;
      if (!fits(d.tags, volume.diskSelector, s.allowEmptyDiskSelector)) continue;
      const limit = (d.storageMaximum - d.storageReserved) * BigInt(s.overProvisioningPercentage);
      if (100n * volume.sizeBytes + 100n * d.storageScheduled > limit) continue;
      const left = d.storageAvailable - volume.actualBytes;
      if (100n * left <= d.storageMaximum * BigInt(s.minimalAvailablePercentage)) continue;
      const holds = taking.some((r) => r.node === n.name && r.diskID === d.diskID);
      if (policies.disk === 'hard' && holds) continue;
      const zoneUsed = taking.some((r) => zone(r.node) === n.zone);
      const nodeUsed = taking.some((r) => r.node === n.name);
      const rank = !zoneUsed && !nodeUsed ? 0 : policies.zone === 'hard' ? 1 : !nodeUsed ? 2 : 3;
      places.set(`${n.name}/${d.name}`, rank * 2 + (holds ? 1 : 0));
    }
  }
  return places;
}

const shuffled = <T>(items: readonly T[]): T[] => [...items].reverse();

describe('placeReplica in random clusters', () => {
  it('takes a place of the best rank that the rules allow, and refuses only when none exists', () => {
    fc.assert(
      fc.property(world, ({ nodes, request, settings: s }) => {
        const placement = placeReplica(request, aCluster(...nodes), s);
        const allowed = allowedPlaces(nodes, request, s);
        if (!isPlace(placement)) {
          expect([...allowed.keys()]).toEqual([]);
          expect(placement.refused).toEqual([...new Set(placement.refused)].sort());
          expect(placement.refused.length).toBeGreaterThan(0);
          return;
        }
        const rank = allowed.get(`${placement.node}/${placement.disk}`);
        expect(rank).toBeDefined();
        const preferred = [...allowed].filter(([key]) => key.startsWith(`${request.preferNode}/`));
        const choice = preferred.length > 0 ? preferred : [...allowed];
        expect(rank).toBe(Math.min(...choice.map(([, value]) => value)));
      }),
      runs,
    );
  });

  it('does not depend on the order of nodes, disks and replicas', () => {
    fc.assert(
      fc.property(world, ({ nodes, request, settings: s }) => {
        const turned = aCluster(...shuffled(nodes.map((each) => ({ ...each, disks: shuffled(each.disks) }))));
        expect(placeReplica({ ...request, replicas: shuffled(request.replicas) }, turned, s)).toEqual(
          placeReplica(request, aCluster(...nodes), s),
        );
      }),
      runs,
    );
  });

  it('places a replica as before when an empty node is added', () => {
    fc.assert(
      fc.property(world, ({ nodes, request, settings: s }) => {
        const before = placeReplica(request, aCluster(...nodes), s);
        const after = placeReplica(request, aCluster(...nodes, aNode('new', { zone: 'new' })), s);
        if (isPlace(before)) expect(isPlace(after)).toBe(true);
      }),
      runs,
    );
  });

  it('never schedules more than over-provisioning allows, and deletion frees all of it', () => {
    const start = cluster.map((nodes) =>
      nodes.map((each) => ({ ...each, disks: each.disks.map((d) => ({ ...d, storageScheduled: 0n })) })),
    );
    fc.assert(
      fc.property(start, settings, fc.array(bytes, { maxLength: 30 }), (nodes, s, sizes) => {
        const begin = aCluster(...nodes);
        const placed: { node: string; diskID: string; sizeBytes: bigint }[] = [];
        let now: ClusterFacts = begin;
        for (const sizeBytes of sizes) {
          const policies = { zone: 'soft', node: 'soft', disk: 'soft' } as const;
          const request = { volume: aVolume({ sizeBytes }), replicas: [], leaving: new Set<string>(), policies };
          const placement = placeReplica(request, now, s);
          if (!isPlace(placement)) continue;
          placed.push({ ...placement, sizeBytes });
          now = withReplica(now, placement, sizeBytes);
        }
        for (const d of [...now.nodes.values()].flatMap(({ disks }) => disks)) {
          const limit = (d.storageMaximum - d.storageReserved) * BigInt(s.overProvisioningPercentage);
          if (d.storageScheduled > 0n) expect(d.storageScheduled * 100n).toBeLessThanOrEqual(limit);
        }
        for (const each of placed) now = withReplica(now, each, -each.sizeBytes);
        expect(now).toEqual(begin);
      }),
      runs,
    );
  });
});
