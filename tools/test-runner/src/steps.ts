/** The tiers of docs/ARCHITECTURE.md, "Tests by reach", and the checks that go before them. */
export const tiers = ['check', 'unit', 'scenario', 'api', 'cluster'] as const;
export type Tier = (typeof tiers)[number];

export type Step =
  | { tier: Tier; title: string; kind: 'check'; command: readonly string[] }
  | {
      tier: Tier;
      title: string;
      kind: 'vitest';
      /** Of vitest.config.ts. */
      projects: readonly string[];
      /** Which part of their files, `1/2`; absent: all of them. */
      shard?: string;
      /**
       * Runs in parallel with other such steps, {@link parallelSteps} at a time: one of them alone leaves the processors idle. Not on a cluster
       * that was given: there they would meet.
       */
      parallel?: true;
    };

/** How many of the steps with `parallel` run at a time. */
export const parallelSteps = 2;

/**
 * What `npm test` does, in this order: what fails fastest first, then the steps that run in parallel. Of these the longest come first and the short
 * ones, which fill the end, last: tools/test-runner/README.md has what each takes.
 */
export const steps: readonly Step[] = [
  {
    tier: 'check',
    title: 'types',
    kind: 'check',
    command: ['nx', 'run-many', '-t', 'typecheck', '--outputStyle=static'],
  },
  { tier: 'check', title: 'lint and format', kind: 'check', command: ['biome', 'check', '.'] },
  { tier: 'check', title: 'house rules', kind: 'check', command: ['node', 'tools/tidy/src/main.ts'] },
  { tier: 'check', title: 'layer boundaries', kind: 'check', command: ['node', 'tools/boundaries/src/main.ts'] },
  {
    tier: 'check',
    title: 'generated CRDs are current',
    kind: 'check',
    command: ['node', 'tools/crds/src/main.ts', '--check'],
  },
  { tier: 'unit', title: 'unit tests', kind: 'vitest', projects: ['unit'] },
  { tier: 'scenario', title: 'scenarios', kind: 'vitest', projects: ['scenario'] },
  { tier: 'api', title: 'real API server', kind: 'vitest', projects: ['api'] },
  { tier: 'cluster', title: 'real cluster', kind: 'vitest', projects: ['cluster'], parallel: true },
  { tier: 'cluster', title: 'own clusters', kind: 'vitest', projects: ['own-clusters'], parallel: true },
  { tier: 'cluster', title: 'installations', kind: 'vitest', projects: ['installations'], parallel: true },
  ...[1, 2, 3, 4].map(
    (part): Step => ({
      tier: 'cluster',
      title: `engines and stores, part ${part}`,
      kind: 'vitest',
      projects: ['parts'],
      shard: `${part}/4`,
      parallel: true,
    }),
  ),
];

/** The steps of the tiers asked for; all of them when none is. @throws naming the tier that does not exist */
export function selectSteps(asked: readonly string[]): readonly Step[] {
  for (const name of asked)
    if (!tiers.some((tier) => tier === name))
      throw new Error(`there is no tier "${name}"; the tiers are ${tiers.join(', ')}`);
  return asked.length === 0 ? steps : steps.filter((step) => asked.includes(step.tier));
}

/** Why a tier cannot run here, or undefined. Said plainly at the end of the run. */
export function reasonToSkip(tier: Tier, machine: { uid: number; hasKubeconfig: boolean }): string | undefined {
  if (tier === 'cluster' && machine.uid !== 0 && !machine.hasKubeconfig)
    return 'the cluster tier starts a kubelet and needs root (or --kubeconfig of an existing cluster)';
  return undefined;
}
