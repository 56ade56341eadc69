import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttachedSeen, planTeardown, type TeardownStep, teardownPhases } from './plan-teardown.ts';

const loop = fc.record({ path: fc.constantFrom('/dev/loop1', '/dev/loop2'), isLeaving: fc.boolean() });
const anySeen: fc.Arbitrary<AttachedSeen> = fc
  .record({
    volume: fc.constant('v'),
    mountPoints: fc.array(fc.constant('/mnt/v'), { maxLength: 2 }),
    loops: fc.uniqueArray(loop, { maxLength: 2, selector: ({ path }) => path }),
    fuseDirectory: fc.option(fc.constant('/run/fuse/v'), { nil: undefined }),
    frontend: fc.constantFrom('lives' as const, 'gone' as const),
    engine: fc.constantFrom('lives' as const, 'gone' as const),
    replicas: fc.uniqueArray(fc.constantFrom('r-1', 'r-2')),
  })
  .map(({ fuseDirectory, ...rest }) => (fuseDirectory === undefined ? rest : { ...rest, fuseDirectory }));

const nothing: AttachedSeen = {
  volume: 'v',
  mountPoints: [],
  loops: [],
  frontend: 'gone',
  engine: 'gone',
  replicas: [],
};

describe('the teardown of any remains of a volume', () => {
  it('removes nothing that is still used by something above it', () => {
    fc.assert(
      fc.property(anySeen, (seen) => {
        const done = planTeardown(seen, undefined, 0).steps.map((step) => step.do);
        if (seen.mountPoints.length > 0) expect(done).toEqual([]);
        if (seen.loops.length > 0) expect(done.filter((step) => step !== 'detach-loop')).toEqual([]);
        if (seen.fuseDirectory !== undefined) expect(done).not.toContain('end-frontend');
        if (seen.frontend === 'lives') expect(done).not.toContain('stop-engine');
        if (seen.engine === 'lives') expect(done).not.toContain('end-replica');
      }),
    );
  });

  it('completes once kubelet has unmounted the volume, even if a device stays open for a while', () => {
    fc.assert(
      fc.property(anySeen, fc.integer({ min: 1, max: 3 }), (begun, opensFor) => {
        let seen: AttachedSeen = { ...begun, mountPoints: [] };
        for (let round = 0; round < 20; round++) {
          const { steps } = planTeardown(seen, undefined, 0);
          seen = steps.reduce(after, seen);
          if (round >= opensFor) seen = { ...seen, loops: seen.loops.filter(({ isLeaving }) => !isLeaving) };
        }
        expect(planTeardown(seen, undefined, 0)).toEqual({ phase: 'done', steps: [], reason: 'nothing is left' });
      }),
    );
  });
});

function after(seen: AttachedSeen, step: TeardownStep): AttachedSeen {
  switch (step.do) {
    case 'detach-loop':
      return { ...seen, loops: seen.loops.map((one) => (one.path === step.path ? { ...one, isLeaving: true } : one)) };
    case 'unmount': {
      const { fuseDirectory: _, ...rest } = seen;
      return rest;
    }
    case 'end-frontend':
      return { ...seen, frontend: 'gone' };
    case 'stop-engine':
      return { ...seen, engine: 'gone' };
    case 'end-replica':
      return { ...seen, replicas: seen.replicas.filter((id) => id !== step.id) };
  }
}

describe('a phase', () => {
  it.each<[string, Partial<AttachedSeen>, string]>([
    ['mounts', { mountPoints: ['/mnt/v'] }, 'it is still mounted at /mnt/v'],
    ['loops', { loops: [{ path: '/dev/loop1', isLeaving: false }] }, '/dev/loop1 is still attached'],
    ['leaving-loops', { loops: [{ path: '/dev/loop1', isLeaving: true }] }, 'something still has /dev/loop1 open'],
    ['fuse', { fuseDirectory: '/run/fuse/v' }, '/run/fuse/v is still mounted'],
    ['frontend', { frontend: 'lives' }, 'the process of its front end has not ended'],
    ['engine', { engine: 'lives' }, 'its engine has not ended'],
    ['replicas', { replicas: ['r-1'] }, 'the processes of r-1 have not ended'],
  ])('%s reports what it waits for, and that it is late after its timeout', (phase, left, reason) => {
    const seen = { ...nothing, ...left };
    const known = teardownPhases.find((one) => one === phase) ?? 'done';
    expect(planTeardown(seen, undefined, 1e9)).toMatchObject({ phase, reason: expect.stringContaining(reason) });
    expect(planTeardown(seen, { phase: known, sinceMs: 0 }, 9_999).overdue).toBeUndefined();
    expect(planTeardown(seen, { phase: known, sinceMs: 0 }, 60_000).overdue).toMatchObject({
      code: 'NOT_POSSIBLE_NOW',
      retry: 'later',
      message: expect.stringContaining(reason),
    });
    const earlier = { phase: 'done' as const, sinceMs: 0 };
    expect(planTeardown(seen, earlier, 60_000).overdue).toBeUndefined();
  });
});
