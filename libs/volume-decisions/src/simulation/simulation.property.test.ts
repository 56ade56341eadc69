import fc from 'fast-check';
import { expect, it } from 'vitest';
import { begun, type Step, settle, take } from './model-histories.ts';
import { ModelWorld } from './model-world.ts';

const node = fc.constantFrom('n1', 'n2', 'n3', 'n4');
const said = (text: string, step: Step) => Object.assign(step, { toString: () => text });
const passAll = said('passAll', (world) => world.passAll());

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(passAll) },
  {
    weight: 3,
    arbitrary: fc
      .record({ stale: fc.boolean(), dies: fc.option(fc.nat({ max: 4 }), { nil: Number.POSITIVE_INFINITY }) })
      .map((how) => said(`volume ${JSON.stringify(how)}`, (world) => world.passVolume(how))),
  },
  { weight: 2, arbitrary: fc.boolean().map((late) => said(`engine ${late}`, (world) => world.passEngine({ late }))) },
  {
    weight: 2,
    arbitrary: fc
      .nat({ max: 4 })
      .map((n) => said(`replica ${n}`, (world) => world.passReplica([...world.replicas.keys()][n] ?? ''))),
  },
  { weight: 1, arbitrary: fc.constant(said('read', (world) => world.read())) },
  { weight: 4, arbitrary: fc.boolean().map((dies) => said(`write ${dies}`, (world) => world.write(dies))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(node, fc.constantFrom('up', 'cut', 'dead', 'up'))
      .map(([name, state]) => said(`${name} ${state}`, (world) => world.setNode(name, state as 'up'))),
  },
  { weight: 1, arbitrary: fc.constant(said('declare', (world) => world.declare())) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1_000, 9_000, 60_000, 700_000).map((ms) =>
      said(`time ${ms}`, (world) => {
        world.nowMs += ms;
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', 'n1', 'n2', 'n3').map((n) => said(`want ${n}`, (world) => world.want(n))),
  },
  { weight: 2, arbitrary: fc.constant(said('rebuilt', (world) => world.finishRebuild())) },
  { weight: 2, arbitrary: fc.constant(said('flush', (world) => world.flush())) },
  { weight: 1, arbitrary: fc.constant(said('compared', (world) => world.finishComparison())) },
  { weight: 1, arbitrary: fc.constant(said('lose killed', (world) => world.loseKilled())) },
  { weight: 1, arbitrary: fc.constant(said('kill engine', (world) => world.killEngine())) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }).map((n) => said(`kill replica ${n}`, (world) => world.killReplica(n))) },
  { weight: 1, arbitrary: fc.constant(said('takeover', (world) => world.takeover())) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat({ max: 3 }), fc.boolean())
      .map(([n, on]) => said(`evict ${n} ${on}`, (world) => world.evict(n, on))),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map((n) => said(`count ${n}`, (world) => world.setCount(n))) },
);

/** Random subset of the nodes, never all of them. */
const orRemoval = fc.oneof(
  { weight: 30, arbitrary: step },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('n1', 'n2', 'n3')
      .map((name) => said(`remove ${name}`, (world) => world.removeNode(name))),
  },
);

const runs = Number(process.env.LATEEN_VOLUME_RUNS ?? 70);

it('settles a new volume, detached and then attached with all its replicas', () => {
  const world = new ModelWorld();
  expect(settle(world)).toBe(true);
  expect(world.volume.status?.state).toBe('detached');
  expect(world.replicas.size).toBe(3);
  world.want('n1');
  expect(settle(world)).toBe(true);
  expect(world.volume.status).toMatchObject({ state: 'attached', robustness: 'healthy', currentNodeID: 'n1' });
  expect(world.attachedProcess()?.set.size).toBe(3);
});

it('loses no write and settles or reports a reason, whatever nodes, engines and managers do', () => {
  fc.assert(
    fc.property(fc.array(orRemoval, { minLength: 10, maxLength: 60 }), (steps) => {
      const world = begun();
      take(world, steps);
      world.declare();
      expect(settle(world), `comes to no rest: ${world.waits}`).toBe(true);
      const { state, robustness } = world.volume.status ?? {};
      const wanted = (world.volume.spec.nodeID ?? '') === '' ? 'detached' : 'attached';
      if (state !== wanted || ['degraded', 'faulted'].includes(robustness ?? '')) expect(world.waits).not.toBe('');
    }),
    { numRuns: runs },
  );
});

it('attaches and becomes healthy again when all nodes are back', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      const world = begun();
      take(world, steps);
      for (const name of world.nodes.keys()) world.setNode(name, 'up');
      world.want('n2');
      const rests = settle(world);
      expect([rests, world.volume.status?.state, world.volume.status?.robustness, world.waits]).toEqual([
        true,
        'attached',
        'healthy',
        '',
      ]);
      const set = [...(world.attachedProcess()?.set ?? [])];
      expect(set.length).toBeGreaterThan(0);
      for (const name of set) expect(world.lacks(name)).toEqual([]);
    }),
    { numRuns: runs },
  );
});

it('settles when the node of the replacement for an evicted replica dies', () => {
  const world = begun();
  world.evict(0, true);
  for (let n = 0; n < 6; n++) world.passAll();
  world.setNode('n4', 'dead');
  for (let n = 0; n < 2; n++) world.passAll();
  world.declare();
  expect(settle(world), world.waits).toBe(true);
});

it('keeps the data of surplus replicas until the other replicas are known to exist', () => {
  const world = begun();
  world.setCount(1);
  world.setNode('n2', 'dead');
  world.setNode('n3', 'dead');
  // No controller has noticed the dead nodes yet: two of three replicas are deleted, that of n1 among them.
  for (let n = 0; n < 2; n++) world.passVolume();
  const deleted = [...world.replicas.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  expect(deleted.map(({ spec }) => spec.nodeID)).toContain('n1');
  world.write(false);
  world.want('');
  settle(world);
  for (const name of ['n2', 'n3']) world.setNode(name, 'up');
  world.want('n1');
  expect(settle(world), world.waits).toBe(true);
  expect(world.acknowledged.length).toBe(1);
  for (const name of world.attachedProcess()?.set ?? []) expect(world.lacks(name)).toEqual([]);
  expect(world.volume.status).toMatchObject({ state: 'attached', robustness: 'healthy' });
});
