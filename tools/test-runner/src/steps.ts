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
       * Runs beside the steps after it, one such step after the other, and is told when it ends: the machine is not busy with one
       * of them. Not on a cluster that was given: there it would meet them.
       */
      beside?: true;
    };

/** What `npm test` does, in this order: what fails fastest first. */
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
  { tier: 'cluster', title: 'own clusters', kind: 'vitest', projects: ['own-clusters', 'installations'], beside: true },
  {
    tier: 'cluster',
    title: 'engines and stores, part 1',
    kind: 'vitest',
    projects: ['parts'],
    shard: '1/3',
    beside: true,
  },
  // Two thirds on this side, because the steps beside it take longer.
  { tier: 'cluster', title: 'engines and stores, part 2', kind: 'vitest', projects: ['parts'], shard: '2/3' },
  { tier: 'cluster', title: 'engines and stores, part 3', kind: 'vitest', projects: ['parts'], shard: '3/3' },
  { tier: 'cluster', title: 'real cluster', kind: 'vitest', projects: ['cluster'] },
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
    return 'the cluster tier starts a kubelet and needs root (or --kubeconfig of a cluster that is already there)';
  return undefined;
}
