import type { Engine, Replica } from '@lateen/storage-types';
import { storageAnnotations } from '@lateen/storage-types';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClusterFacts } from '../../scheduler/cluster-facts.ts';
import { aCluster, aDisk, aNode } from '../../scheduler/example-cluster.ts';
import { changedReplica } from '../changed-replica.ts';
import { decideVolume } from '../decide-volume.ts';
import { nameOf } from '../replica-facts.ts';
import { moveRetryMs } from '../volume-facts.ts';
import type { VolumeSeen } from '../volume-seen.ts';
import { crowded, engineOf, nowMs, replica } from './example-balance.ts';

/** How long a rebuild runs until it completes or fails. */
const buildMs = 20_000;
/** The most failed replacement replicas of a volume at one time: the waits between them add up to more than the ten minutes of the first. */
const vainMax = 6;

const worlds = fc.record({
  zones: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 8 }),
  bad: fc.array(fc.nat(7), { maxLength: 6 }),
  at: fc.array(fc.nat(7), { minLength: 2, maxLength: 4 }),
});

interface World {
  readonly cluster: ClusterFacts;
  readonly bad: ReadonlySet<string>;
  readonly numberOfReplicas: number;
  replicas: Replica[];
  now: number;
  made: number;
}

function worldOf({ zones, bad, at }: typeof worlds extends fc.Arbitrary<infer T> ? T : never): World {
  const names = zones.map((_, index) => `n${index + 1}`);
  const cluster = aCluster(
    ...names.map((name, n) => aNode(name, { zone: zones[n] ?? '', disks: [aDisk(`${name}-a`)] })),
  );
  const replicas = at.map((n, index) => replica(`r${index}`, names[n % names.length] ?? '', { diskID: '' }));
  return {
    cluster,
    bad: new Set(bad.map((n) => names[n] ?? '')),
    numberOfReplicas: at.length,
    replicas: replicas.map((each) => placedAt(each, cluster)),
    now: nowMs,
    made: 0,
  };
}

const placedAt = (each: Replica, { nodes }: ClusterFacts): Replica => ({
  ...each,
  spec: { ...each.spec, diskID: nodes.get(each.spec.nodeID ?? '')?.disks[0]?.diskID ?? '' },
});

const seenOf = (world: World): VolumeSeen => {
  const whole = world.replicas.filter(({ spec }) => (spec.healthyAt ?? '') !== '').map(nameOf);
  const engine: Engine = engineOf(Object.fromEntries(whole.map((name) => [name, 'RW' as const])));
  const uuid = `${String(world.made).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const parts = { replicas: world.replicas, cluster: world.cluster, engine, uuids: [uuid] };
  return crowded(parts, { numberOfReplicas: world.numberOfReplicas });
};

/** One pass and its direct result: a replica is built, or fails where its node is bad. Returns true when something was done. */
function pass(world: World): { readonly done: boolean; readonly afterMs: number } {
  const { effects, again } = decideVolume(seenOf(world), world.now);
  for (const effect of effects) {
    if (effect.do === 'create-replica') {
      const { nodeID = '' } = effect.object.spec;
      if (effect.object.metadata.annotations?.[storageAnnotations.replaces] !== undefined) tried(world, nodeID);
      world.made += 1;
      world.now += buildMs;
      world.replicas.push(built(effect.object, world.bad.has(nodeID), world.now));
    } else if (effect.do === 'delete') world.replicas = world.replicas.filter((each) => nameOf(each) !== effect.name);
  }
  return { done: effects.length > 0, afterMs: again?.afterMs ?? Number.POSITIVE_INFINITY };
}

const built = (object: Replica, isBad: boolean, at: number): Replica => {
  const running: Replica = { ...object, spec: { ...object.spec, desireState: 'running' } };
  const date = new Date(at).toISOString();
  return isBad
    ? changedReplica(running, { do: 'rebuild-failed', replica: nameOf(object), failedAt: date, cause: 'no' })
    : changedReplica(running, { do: 'mark-healthy', replica: nameOf(object), at: date });
};

const failedAtMs = ({ spec }: Replica): number => Date.parse(spec.failedAt ?? '');

/** Checks that no move goes to a node where a move of the volume failed in the last ten minutes. */
function tried({ replicas, now }: World, node: string): void {
  const failed = replicas.filter(({ spec }) => spec.nodeID === node && (spec.failedAt ?? '') !== '').map(failedAtMs);
  for (const at of failed) expect(now - at).toBeGreaterThanOrEqual(moveRetryMs);
}

const spreadOf = (world: World, of: (node: string) => string): number =>
  [
    ...Map.groupBy(
      world.replicas.filter(({ spec }) => (spec.failedAt ?? '') === ''),
      ({ spec }) => of(spec.nodeID ?? ''),
    ),
  ]
    .map(([, group]) => group.length ** 2)
    .reduce((sum, square) => sum + square, 0);

it('a volume whose moves fail on some nodes spreads over all others, avoids a failed node for ten minutes, and keeps its replicas', () => {
  fc.assert(
    fc.property(worlds, (of) => {
      const world = worldOf(of);
      const zone = (node: string) => world.cluster.nodes.get(node)?.zone ?? '';
      const before = spreadOf(world, zone);
      const endMs = world.now + 3_600_000;
      for (let passes = 0; passes < 400 && world.now < endMs; passes++) {
        const { done, afterMs } = pass(world);
        const whole = world.replicas.filter(({ spec }) => (spec.healthyAt ?? '') !== '');
        expect(whole.length).toBeGreaterThanOrEqual(world.numberOfReplicas);
        expect(world.replicas.length - whole.length).toBeLessThanOrEqual(vainMax);
        if (!done) world.now += Math.min(afterMs, 300_000);
      }
      expect(world.now).toBeGreaterThanOrEqual(endMs);
      expect(spreadOf(world, zone)).toBeLessThanOrEqual(before);
      // Even without the bad nodes, no better spread exists.
      const open = new Map([...world.cluster.nodes].filter(([name]) => !world.bad.has(name)));
      const rest = world.replicas.filter(({ spec }) => (spec.failedAt ?? '') === '');
      if (rest.every(({ spec }) => open.has(spec.nodeID ?? ''))) {
        const settled = { ...world, cluster: { nodes: open }, replicas: rest };
        const { effects } = decideVolume(seenOf(settled), world.now);
        expect(effects.filter((effect) => effect.do === 'create-replica')).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});
