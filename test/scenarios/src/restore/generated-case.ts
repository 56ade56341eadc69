import type { KubeObject, RestoreSpec } from '@lateen/api-types';
import { type ApiCall, denying, type FakeCluster } from '@lateen/testing';
import { type Dice, diceFor } from '../simulation/dice.ts';
import { existingObjects } from './cluster/existing-objects.ts';
import { generatedCluster } from './cluster/generated-cluster.ts';
import { controllersActor } from './controllers-actor.ts';
import { type RestoreRun, type RestoreWorldOptions, restoreWorld, type StoredBackup } from './restore-world.ts';
import { placeOf, stateOf } from './restored-state.ts';

/** A generated restore: the backup, the existing objects, the spec, and the webhooks that reject objects. */
export interface GeneratedCase {
  readonly seed: number;
  readonly source: readonly KubeObject[];
  readonly existing: readonly KubeObject[];
  readonly spec: RestoreSpec;
  /** Objects that a webhook rejects. */
  readonly denied: ReadonlySet<string>;
  readonly definitionDelayMs: number;
}

/** The same seed generates the same case. */
export function generatedCase(seed: number): GeneratedCase {
  const dice = diceFor(seed, 'restore: case');
  const source = generatedCluster(seed);
  const existing = dice.chance(0.6) ? existingObjects(source, dice) : [];
  const spec = specOf(dice);
  const targets = dice.chance(0.3) ? source.filter(() => dice.chance(0.05)).map(placeOf) : [];
  return { seed, source, existing, spec, denied: new Set(targets), definitionDelayMs: dice.pick([0, 0, 1_500]) };
}

function specOf(dice: Dice): RestoreSpec {
  return {
    ...(dice.chance(0.4) ? { existingResourcePolicy: dice.pick(['none', 'update']) } : {}),
    ...(dice.chance(0.3) ? { namespaceMapping: { shop: 'shop-2', bank: 'vault' } } : {}),
    ...(dice.chance(0.2) ? { includedNamespaces: ['shop'] } : {}),
    ...(dice.chance(0.2) ? { excludedResources: ['pods'] } : {}),
    ...(dice.chance(0.2) ? { includeClusterResources: dice.chance(0.5) } : {}),
    ...(dice.chance(0.2) ? { restoreStatus: { includedResources: ['*'] } } : {}),
    ...(dice.chance(0.3) ? { preserveNodePorts: true } : {}),
    ...(dice.chance(0.2) ? { labelSelector: { matchLabels: { app: 'shop' } } } : {}),
  };
}

/** The result of running a case. */
export interface CaseRun {
  /** By object: what existed before, and what exists now. */
  before: Record<string, string>;
  state: Record<string, string>;
  /** By object of the backup: act and reason. */
  outcomes: Record<string, string>;
  warnings: string[];
  errors: string[];
  run: RestoreRun;
}

/** Runs a case on a new cluster. @param how.slowMs longest answer time of the API server */
export async function runCase(
  one: GeneratedCase,
  stored: StoredBackup,
  how: { parallel: number; dryRun?: boolean; slowMs?: number; world?: Partial<RestoreWorldOptions> },
): Promise<CaseRun> {
  const world = restoreWorld({
    objects: one.existing,
    limits: { parallel: how.parallel },
    definitionDelayMs: () => one.definitionDelayMs,
    seed: one.seed,
    ...how.world,
  });
  deny(world.cluster, one);
  controllersActor(world.cluster);
  slowDown(world.cluster, how.slowMs ?? 0, diceFor(one.seed, 'restore: delays'));
  await world.cluster.settle();
  const before = stateOf(world.cluster);
  const run = await world.run(stored, { ...one.spec, ...(how.dryRun === true ? { dryRun: true } : {}) });
  const outcomes = run.items.map((outcome): [string, string] => {
    const { apiVersion, kind, act, reason = '', by = '' } = outcome;
    const { sourceNamespace, namespace = sourceNamespace, sourceName, name } = outcome;
    const metadata = { name: sourceName ?? name, ...(namespace === undefined ? {} : { namespace }) };
    return [placeOf({ apiVersion, kind, metadata }), [act, reason, by].join(' | ')];
  });
  return {
    before,
    state: stateOf(world.cluster),
    outcomes: Object.fromEntries(outcomes.sort(([a], [b]) => (a < b ? -1 : 1))),
    warnings: world.lines('warn').sort(),
    errors: world.lines('error').sort(),
    run,
  };
}

function deny(cluster: FakeCluster, { denied }: GeneratedCase): void {
  const names = new Set([...denied].map((place) => place.replace(/^(\w+).*[ /]/, '$1 ')));
  if (names.size === 0) return;
  const isMeant = ({ type, key }: ApiCall) => names.has(`${type.kind} ${key.name}`);
  cluster.intercept(denying(isMeant, 'no.example.com', 'not here'));
}

/** Answers arrive in another order than the requests were sent. */
function slowDown(cluster: FakeCluster, longestMs: number, dice: Dice): void {
  if (longestMs === 0) return;
  const { clock } = cluster;
  cluster.intercept(async ({ options }, next) => {
    await clock.sleep(dice.between(0, longestMs), (options as { signal?: AbortSignal }).signal);
    return await next();
  });
}
