import { namespaceType, persistentVolumeClaimType } from '@lateen/api-types';
import { blockTools, type ClusterInfo } from '@lateen/cluster';
import { deleteNamespace } from '@lateen/demo';
import { describeError } from '@lateen/errors';
import { type Clock, durationText, type Random } from '@lateen/kernel';
import { type KubeApi, readObject } from '@lateen/kube';
import { describeStuck } from '../kills/describe-stuck.ts';
import type { PlannedKill } from '../kills/kill-plan.ts';
import { replicatedClaim } from '../own-clusters/replicated/volume-objects.ts';
import { compareReplicas } from './compare-replicas.ts';
import { type FioRounds, runFio } from './fio-rounds.ts';
import { problemOf, readWorld, storageNamespace } from './health.ts';
import { planStorageKills, type StorageKillKind } from './kill-kinds.ts';
import type { StorageKillRow } from './kill-table.ts';
import { Ledger } from './ledger.ts';
import { devicesLeft, volumesLeft } from './left-behind.ts';
import { storageKill } from './storage-killer.ts';
import { mountedAt, statefulSetType, workloadName, workloadSet } from './workload.ts';

export interface RunStorageKillsOptions {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  cluster: ClusterInfo;
  image: string;
  kills: number;
  kinds: readonly StorageKillKind[];
  say(text: string): void;
  signal: AbortSignal;
}

export interface StorageKillsResult {
  rows: readonly StorageKillRow[];
  /** Acknowledged writes of the ledger; all of them were read again. */
  acknowledged: number;
  fio: FioRounds;
  /** Replicas that differ from the first one at the end. */
  differ: readonly string[];
  leftovers: readonly string[];
}

const replicas = 3;
const claimName = 'data';
/** Time from a kill until the volume is healthy again, ms: longer than a lost machine, a rebuild and the kubelet's backoff together. */
const healthyMsMax = 8 * 60_000;
/** A kill is noticed within this time: a volume that stays healthy for longer is healthy. */
const steadyMs = 6_000;
const lookMs = 500;
/** Time until nothing is left of a deleted volume. */
const goneMsMax = 5 * 60_000;

/**
 * A volume with three replicas, written to by a ledger and by fio with verification. Carries out a plan of kills, each after the volume has
 * recovered from the last.
 * @throws when an acknowledged write is lost, stale data is read, or the volume does not recover
 */
export async function runStorageKills(options: RunStorageKillsOptions): Promise<StorageKillsResult> {
  const { kube, clock, random } = options;
  // Drawn first, before anything else uses the seed.
  const plan = planStorageKills(random, options);
  const namespace = `storage-kills-${random.suffix(5)}`;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
  const ledger = new Ledger({ clock, random, run: namespace, place: (s) => mountedAt(kube, namespace, s) });
  const run = { ...options, plan, namespace, ledger, signal };
  const fio: FioRounds = { whole: 0, brokenOff: 0 };
  const writing = new AbortController();
  try {
    const volume = await makeVolume(run);
    const until = AbortSignal.any([signal, writing.signal]);
    const { fio: program, qemuImg } = await blockTools();
    const writers = [
      ledger.run(until),
      runFio({ fio: program, clock, place: (s) => mountedAt(kube, namespace, s) }, until, fio),
    ];
    const killing = killAll({ ...run, volume }).finally(() => writing.abort(new Error('all is killed')));
    const [rows] = await Promise.all([killing, ...writers]);
    if (!(await ledger.checkAll(signal)))
      throw new Error(`the ledger cannot be read at the end: ${ledger.lastFailure}`);
    const differ = await detachedAndCompared({ ...run, volume }, qemuImg);
    const leftovers = await removed({ ...run, volume });
    return { rows, acknowledged: ledger.acknowledged, fio, differ, leftovers };
  } finally {
    over.abort(new Error('the kills are over'));
  }
}

interface Run extends RunStorageKillsOptions {
  plan: readonly PlannedKill<StorageKillKind>[];
  namespace: string;
  ledger: Ledger;
}

/** Resolves with the name of the Volume when it is healthy and written to. */
async function makeVolume(run: Run): Promise<string> {
  const { kube, namespace, image, signal } = run;
  const claim = replicatedClaim(namespace, claimName, { storage: '256Mi', storageClass: 'longhorn' });
  await kube.create(persistentVolumeClaimType, claim, { signal });
  await kube.create(statefulSetType, workloadSet({ namespace, image, claim: claimName }), { signal });
  const key = { namespace, name: claimName };
  const volume = await poll(
    run,
    healthyMsMax,
    'the claim is bound',
    async () => {
      const seen = await readObject(kube, persistentVolumeClaimType, key, signal);
      return seen?.spec.volumeName ?? 'its claim is not bound';
    },
    (answer) => answer.startsWith('pvc-'),
  );
  return volume;
}

async function killAll(run: Run & { volume: string }): Promise<StorageKillRow[]> {
  const { clock, plan, say, ledger, signal } = run;
  const rows: StorageKillRow[] = [];
  await healthy(run);
  say('the volume is healthy and written to');
  for (const planned of plan) {
    await clock.sleep(planned.pauseMs, signal);
    const hit = await storageKill(planned, run);
    if (hit === undefined) throw new Error(`there is no ${planned.kind} to kill, though the volume is healthy`);
    const healthyAfterMs = await healthy(run).catch((error: unknown) => {
      throw new Error(`after kill ${rows.length + 1}, ${planned.kind} ${hit}: ${describeError(error)}`, {
        cause: error,
      });
    });
    if (!(await ledger.checkAll(signal))) throw new Error(`the ledger cannot be read: ${ledger.lastFailure}`);
    rows.push({ kind: planned.kind, hit, healthyAfterMs });
    say(
      `kill ${rows.length} of ${plan.length}: ${planned.kind}, ${hit}: healthy after ${(healthyAfterMs / 1000).toFixed(1)} s`,
    );
  }
  return rows;
}

/** Waits until the volume is healthy, is written to, and stays so. @returns the time until it became so, ms */
async function healthy(run: Run & { volume: string }): Promise<number> {
  const { kube, clock, ledger, volume, namespace, signal } = run;
  const beganMs = clock.monotonicMs();
  let before = ledger.acknowledged;
  let sinceMs: number | undefined;
  let problem = '';
  for (;;) {
    const nowMs = clock.monotonicMs();
    const found = problemOf(await readWorld(kube, volume, signal), replicas);
    const isWritten = ledger.acknowledged > before;
    before = ledger.acknowledged;
    problem = found ?? (isWritten ? '' : `nothing is written: ${ledger.lastFailure}`);
    sinceMs = problem === '' ? (sinceMs ?? nowMs) : undefined;
    if (sinceMs !== undefined && nowMs - sinceMs >= steadyMs) return sinceMs - beganMs;
    if (nowMs - beganMs >= healthyMsMax) {
      const about = await describeStuck(kube, [namespace, storageNamespace]);
      throw new Error(`the volume is not well after ${durationText(healthyMsMax)}: ${problem}\n${about}`);
    }
    await clock.sleep(lookMs, signal);
  }
}

async function detachedAndCompared(run: Run & { volume: string }, qemuImg: string): Promise<string[]> {
  const { kube, namespace, volume, signal } = run;
  await kube.delete(statefulSetType, { namespace, name: workloadName }, { signal });
  await poll(
    run,
    healthyMsMax,
    'the volume is detached',
    async () => {
      const { volume: seen, replicas: all } = await readWorld(kube, volume, signal);
      const running = all.filter(({ status }) => status?.currentState !== 'stopped');
      return running.length > 0 ? `${running.length} replicas run` : (seen?.status?.state ?? 'gone');
    },
    (answer) => answer === 'detached',
  );
  const world = await readWorld(kube, volume, signal);
  if (world.replicas.length !== replicas) throw new Error(`there are ${world.replicas.length} replicas at the end`);
  return await compareReplicas(qemuImg, world.replicas, world.instanceManagers);
}

/** Deletes everything. @returns what is left after a while */
async function removed(run: Run & { volume: string }): Promise<readonly string[]> {
  const { kube, clock, cluster, namespace, volume, signal } = run;
  await deleteNamespace(kube, namespace, clock, signal);
  const look = async () => [
    ...(await volumesLeft(kube, storageNamespace, signal)),
    ...(await devicesLeft(cluster.dir, volume)),
  ];
  const giveUpMs = clock.monotonicMs() + goneMsMax;
  for (;;) {
    const left = await look();
    if (left.length === 0 || clock.monotonicMs() >= giveUpMs) return left;
    await clock.sleep(lookMs, signal);
  }
}

async function poll(
  { clock, signal }: Pick<Run, 'clock' | 'signal'>,
  msMax: number,
  what: string,
  ask: () => Promise<string>,
  isIt: (answer: string) => boolean,
): Promise<string> {
  const giveUpMs = clock.monotonicMs() + msMax;
  for (;;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
    if (clock.monotonicMs() >= giveUpMs)
      throw new Error(`waited ${durationText(msMax)} until ${what}, without success: ${answer}`);
    await clock.sleep(lookMs, signal);
  }
}
