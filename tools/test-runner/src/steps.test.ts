import { describe, expect, it } from 'vitest';
import { reasonToSkip, selectSteps, steps } from './steps.ts';

describe('the steps of npm test', () => {
  it('are all run when no tier is given', () => {
    expect(selectSteps([])).toBe(steps);
    expect(selectSteps(['unit', 'api']).map((step) => step.tier)).toEqual(['unit', 'api']);
  });
  it('reject a tier that does not exist, and name the existing ones', () => {
    expect(() => selectSteps(['unti'])).toThrow('there is no tier "unti"; the tiers are check, unit');
  });
  it('run in parallel only after all that run alone', () => {
    const parallel = steps.map((step) => step.kind === 'vitest' && step.parallel === true);
    expect(parallel).toEqual(parallel.toSorted((a, b) => Number(a) - Number(b)));
  });
  it('cover all parts of a project that is run in parts', () => {
    const parts = steps.flatMap((step) => (step.kind === 'vitest' && step.shard !== undefined ? [step] : []));
    const shardsOf = (project: string) =>
      parts.filter(({ projects }) => projects[0] === project).map(({ shard }) => shard);
    for (const { projects } of parts) expect(shardsOf(projects[0] ?? '')).toEqual(['1/4', '2/4', '3/4', '4/4']);
    expect(parts.length).toBeGreaterThan(0);
  });
  it('leave out the cluster tier only without root and without a cluster', () => {
    expect(reasonToSkip('cluster', { uid: 1000, hasKubeconfig: false })).toContain('needs root');
    expect(reasonToSkip('cluster', { uid: 1000, hasKubeconfig: true })).toBeUndefined();
    expect(reasonToSkip('api', { uid: 1000, hasKubeconfig: false })).toBeUndefined();
  });
});
