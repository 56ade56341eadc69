import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApiServer } from '@lateen/cluster';
import { type Clock, silentLogger, systemRandom } from '@lateen/kernel';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { type OtherClient, otherClient } from './other-client.ts';

export interface RestoreObjectsOptions {
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

interface Measured {
  objects: number;
  seconds: number;
  /** Number of objects that were not created. */
  failed: number;
  cpuSeconds: number;
  residentMostMb: number;
  /** Times of another client meanwhile. */
  p99Ms: number;
}

type Mode = 'raw' | 'restore' | 'plugin' | 'parallel-plugin' | 'plan';

interface Shape {
  configMaps: number;
  secrets: number;
  bodyBytes: number;
}

/** Options of Node for the controller. */
const asInTheImage = '--optimize-for-size';
/** The value of `--restore-parallel`; plain creations have the same parallelism. */
const atOnce = 64;
/** As in the comparison with Velero. */
export const few: Shape = { configMaps: 2_403, secrets: 600, bodyBytes: 700 };
const many: Shape = { configMaps: 0, secrets: 31_000, bodyBytes: 700 };
/** 20 KiB each, like Helm's releases: 1.3 GB uncompressed, because an archive has each object twice. */
const large: Shape = { configMaps: 0, secrets: 31_000, bodyBytes: 20_000 };
export const rounds = 3;
const residentMbMax = 200;

/**
 * Restores by the engine alone (catalog, order, objects) into a real API server, compared with plain creations of the same objects by the
 * same client in the same run, alternating; and how long another client waits meanwhile.
 */
export async function benchRestoreObjects(options: RestoreObjectsOptions): Promise<BenchRow[]> {
  const { clock, signal, say } = options;
  say('restore: etcd and kube-apiserver');
  const server = await startApiServer({ clock }, signal);
  const config = await loadKubeConfig({ path: server.kubeconfig, env: {} });
  const kube = kubeClient({ config, clock, random: systemRandom, log: silentLogger });
  const other = await otherClient(kube, clock);
  const place = { ...options, other, kubeconfig: server.kubeconfig };
  try {
    await clock.sleep(3_000, signal);
    const idleP99Ms = other.p99Ms();
    const turns: Record<'raw' | 'restore', Measured>[] = [];
    for (let round = 0; round < rounds; round++)
      turns.push({ raw: await measure(place, 'raw', few), restore: await measure(place, 'restore', few) });
    const namespace = nextNamespace();
    const restored = await measure(place, 'restore', many, namespace);
    const again = await measure(place, 'plan', many, namespace);
    const anew = await measure(place, 'plan', many);
    return [
      ...fewRows(turns, idleP99Ms),
      ...manyRows(restored, turns),
      ...planRows(again, anew),
      await largeRow(options),
    ];
  } finally {
    await other.stop();
    await kube.close();
    await server.stop();
  }
}

export interface Place extends RestoreObjectsOptions {
  other: OtherClient;
  kubeconfig: string;
  /** The core of the restore and its programs; absent: all cores. */
  core?: number;
}

let namespaces = 0;
const nextNamespace = (): string => `bench-${namespaces++}`;

/** The objects are not deleted: those of the next run are added. */
export async function measure(place: Place, mode: Mode, shape: Shape, namespace = nextNamespace()): Promise<Measured> {
  const { root, signal, say, other, kubeconfig, core } = place;
  const script = join(root, 'test/scenarios/src/restore/measure/restore-served.ts');
  const args = [asInTheImage, script, kubeconfig, mode, JSON.stringify({ ...shape, namespace }), String(atOnce)];
  other.p99Ms();
  const onCore = core === undefined ? [] : ['taskset', '-c', `${core}`];
  const [program, ...words] = [...onCore, process.execPath, ...args] as [string, ...string[]];
  const { stdout } = await promisify(execFile)(program, words, { signal });
  const measured = { ...(JSON.parse(stdout) as Omit<Measured, 'p99Ms'>), p99Ms: other.p99Ms() };
  const { objects, seconds, failed, cpuSeconds, residentMostMb, p99Ms } = measured;
  say(
    `  ${mode}: ${objects} objects in ${seconds.toFixed(2)} s (${failed} not created), ${cpuSeconds.toFixed(1)} s of CPU, ` +
      `${residentMostMb.toFixed(0)} MB, p99 of another client ${p99Ms.toFixed(0)} ms`,
  );
  return measured;
}

export const rateOf = ({ objects, seconds }: Measured): number => objects / seconds;

function fewRows(turns: readonly Record<'raw' | 'restore', Measured>[], idleP99Ms: number): BenchRow[] {
  const ratio = median(turns.map(({ raw, restore }) => rateOf(restore) / rateOf(raw)));
  const p99Ms = median(turns.map(({ restore }) => restore.p99Ms));
  const rawP99Ms = median(turns.map(({ raw }) => raw.p99Ms));
  const rate = median(turns.map(({ restore }) => rateOf(restore)));
  return [
    {
      name: '3,003 ConfigMaps and Secrets restored into a new namespace: objects a second',
      value: rate,
      unit: '/s',
      note: `plain creations ${median(turns.map(({ raw }) => rateOf(raw))).toFixed(0)}/s; Velero 49/s`,
    },
    {
      name: `the same / plain creations, ${atOnce} at once`,
      value: ratio,
      unit: '×',
      target: 'at least 0.80 ×',
      reached: ratio >= 0.8,
      note: 'catalog, order and namespace included',
    },
    {
      name: 'p99 of another client meanwhile / without it',
      value: p99Ms / idleP99Ms,
      unit: '×',
      target: 'at most 2 ×',
      reached: p99Ms <= 2 * idleP99Ms,
      note: `${p99Ms.toFixed(0)} ms against ${idleP99Ms.toFixed(0)} ms; beside plain creations ${rawP99Ms.toFixed(0)} ms`,
    },
  ];
}

function manyRows(large: Measured, turns: readonly Record<'raw' | 'restore', Measured>[]): BenchRow[] {
  const ratio = rateOf(large) / median(turns.map(({ restore }) => rateOf(restore)));
  return [
    {
      name: '31,000 Secrets restored',
      value: large.seconds,
      unit: 's',
      target: 'under 60 s (reference 52 min)',
      reached: large.seconds < 60,
      note: `${rateOf(large).toFixed(0)}/s, ${large.cpuSeconds.toFixed(0)} s of CPU`,
    },
    {
      name: 'its rate / that of the 3,003',
      value: ratio,
      unit: '×',
      target: 'at least 0.80 ×',
      reached: ratio >= 0.8,
    },
    {
      name: 'memory of the process after it, resident at most',
      value: large.residentMostMb,
      unit: 'MB',
      target: `under ${residentMbMax} MB`,
      reached: large.residentMostMb < residentMbMax,
      note: "with Node's own loader of TypeScript",
    },
  ];
}

function planRows(again: Measured, anew: Measured): BenchRow[] {
  const row = (what: string, { objects, seconds, cpuSeconds, residentMostMb }: Measured): BenchRow => ({
    name: `plan of ${objects} objects, ${what}`,
    value: seconds,
    unit: 's',
    target: 'under 60 s',
    reached: seconds < 60,
    note: `${cpuSeconds.toFixed(0)} s of CPU, ${residentMostMb.toFixed(0)} MB`,
  });
  return [row('all of them there', again), row('into a new namespace', anew)];
}

/** Into an API server in the same process that discards objects: memory is that of the restore. */
async function largeRow({ root, signal, say }: RestoreObjectsOptions): Promise<BenchRow> {
  const script = join(root, 'test/scenarios/src/restore/measure/restore-large.ts');
  const shape = JSON.stringify({ ...large, namespace: 'large' });
  const { stdout } = await promisify(execFile)(process.execPath, [asInTheImage, script, shape, String(atOnce)], {
    signal,
  });
  const { objects, seconds, residentMostMb } = JSON.parse(stdout) as Pick<
    Measured,
    'objects' | 'seconds' | 'residentMostMb'
  >;
  say(`  1.3 GB: ${objects} objects in ${seconds.toFixed(2)} s, ${residentMostMb.toFixed(0)} MB`);
  return {
    name: 'archive of 1.3 GB unpacked (31,000 Secrets of 20 KB): resident at most',
    value: residentMostMb,
    unit: 'MB',
    target: `under ${residentMbMax} MB`,
    reached: residentMostMb < residentMbMax,
    note: `${seconds.toFixed(0)} s with an API server that keeps nothing; the making of the archive is in it`,
  };
}
