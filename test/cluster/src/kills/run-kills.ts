import { backupRepositoryType, namespaceType, persistentVolumeClaimType, podType } from '@lateen/api-types';
import { deleteNamespace, findLeftovers, takeInventory } from '@lateen/demo';
import { describeError } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { describeStuck } from './describe-stuck.ts';
import type { KillKind } from './kill-plan.ts';
import { Killer, type KillerOptions } from './killer.ts';
import { digestOf, type LaneOptions, runRound } from './lane.ts';
import { claim, fillPod } from './lane-objects.ts';

export interface RunKillsOptions {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  veleroNamespace: string;
  storageClass: string;
  image: string;
  nodes: readonly string[];
  kills: number;
  kinds: readonly KillKind[];
  /** Volumes that are moved in parallel on each node. */
  lanesPerNode: number;
  machines?: KillerOptions['machines'];
  say(text: string): void;
  signal: AbortSignal;
}

export interface KillsResult {
  kills: ReadonlyMap<KillKind, number>;
  /** Rounds of snapshot, upload, download and comparison: all ended Completed, with an equal tree. */
  rounds: number;
  attempts: number;
  /** What the movements left in the cluster; empty when nothing leaked. */
  leftovers: readonly string[];
}

/** A movement may lose all attempts but the last; the node-agent allows three. */
const lossesMax = 2;

/** Uploads and restores volumes while the killer runs. @throws when a movement does not complete, or a tree differs */
export async function runKills(options: RunKillsOptions): Promise<KillsResult> {
  const { kube, clock, random, veleroNamespace, say } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const before = await takeInventory(kube, veleroNamespace, signal);
  const namespace = `kills-${random.suffix(5)}`;
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
  try {
    const lanes = await makeLanes({ ...options, signal }, namespace);
    const killer = new Killer({ ...options, lossesMax, signal });
    let goesOn = true;
    const killing = killer.run(options.kills).finally(() => {
      goesOn = false;
    });
    const result = { rounds: 0, attempts: 0 };
    const moving = lanes.map(async (lane) => {
      for (let round = 1; goesOn || round === 1; round++) {
        const { attempts } = await runRound(lane, round).catch(async (error: unknown) => {
          if (!signal.aborted) say(await describeStuck(kube, [namespace, veleroNamespace]));
          throw new Error(`${lane.source}, round ${round}: ${describeError(error)}`, { cause: error });
        });
        result.rounds += 1;
        result.attempts += attempts;
        say(`${lane.source}: round ${round} is equal, ${attempts} attempts`);
      }
    });
    await Promise.all([killing, ...moving]);
    await deleteNamespace(kube, namespace, clock, signal);
    await removeRepositories(options, namespace);
    return { kills: killer.done, ...result, leftovers: await findLeftovers(before, options, signal) };
  } finally {
    // The rest of the work is stopped.
    over.abort(new Error('the kills are over'));
  }
}

async function makeLanes(options: RunKillsOptions, namespace: string): Promise<LaneOptions[]> {
  const { kube, nodes, lanesPerNode, signal, say } = options;
  const places = nodes.flatMap((node) => Array.from({ length: lanesPerNode }, (_, at) => ({ node, at })));
  say(`filling ${places.length} volumes`);
  return await Promise.all(
    places.map(async ({ node, at }) => {
      const source = `data-${node}-${at}`;
      const lane = { ...options, namespace, source, digest: '' };
      await kube.create(persistentVolumeClaimType, claim(lane, source, { dynamic: false }), { signal });
      const pod = await kube.create(podType, fillPod(lane, source, node), { signal });
      const digest = await digestOf(lane, source, signal);
      await kube.delete(podType, keyOf(pod), { signal });
      return { ...lane, digest };
    }),
  );
}

async function removeRepositories(
  { kube, veleroNamespace: namespace }: RunKillsOptions,
  source: string,
): Promise<void> {
  const { items } = await kube.list(backupRepositoryType, { namespace });
  for (const item of items.filter((each) => each.spec.volumeNamespace === source)) {
    try {
      await kube.delete(backupRepositoryType, keyOf(item));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
