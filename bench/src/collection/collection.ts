import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApiServer } from '@lateen/cluster';
import { type Clock, silentLogger, systemRandom } from '@lateen/kernel';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { fillApiServer } from './fill-api-server.ts';

export interface CollectionOptions {
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

interface GeneratedResult {
  objects: number;
  seconds: number;
  lastToFirst: number;
  rssAtFifthMb: number;
  rssAtEndMb: number;
  rssMostMb: number;
}

interface ServedResult {
  rounds: { raw: number; seconds: number; cpuSeconds: number; objects: number }[];
  rssMostMb: number;
}

const rounds = 3;
const ratioMax = 1.2;
const rateMin = 5_000;
const megabytesMax = 200;

/**
 * The collection engine alone, without a controller and a store: against an API server that generates its objects, and against a real one
 * (etcd and kube-apiserver on the same machine), compared with raw pages of the same lists.
 */
export async function benchCollection(options: CollectionOptions): Promise<BenchRow[]> {
  return [...(await generatedRows(options)), ...(await servedRows(options))];
}

/** Options of Node for the controller. */
const asInTheImage = '--optimize-for-size';

const folder = 'test/scenarios/src/backup/measure';

async function measured<T>({ root, signal }: CollectionOptions, args: readonly string[]): Promise<T> {
  const [script = '', ...rest] = args;
  const program = [join(root, folder, script), ...rest];
  const { stdout } = await promisify(execFile)(process.execPath, [asInTheImage, ...program], { signal });
  return JSON.parse(stdout) as T;
}

async function generatedRows(options: CollectionOptions): Promise<BenchRow[]> {
  options.say('collection: 300,000 objects and 2,000 claims that an API server in memory makes up');
  const run = await measured<GeneratedResult>(options, ['collect-generated.ts']);
  const name = `${run.objects} objects, 2,000 claims, in memory`;
  return [
    {
      name: `${name}: objects per second`,
      value: run.objects / run.seconds,
      unit: '/s',
      note: 'making the objects up included',
    },
    {
      name: `${name}: CPU per object, last tenth / second`,
      value: run.lastToFirst,
      unit: '×',
      target: `under ${ratioMax} ×`,
      reached: run.lastToFirst < ratioMax,
      note: 'the first tenth has the start of the program in it',
    },
    {
      name: `${name}: resident at the end / after a fifth`,
      value: run.rssAtEndMb / run.rssAtFifthMb,
      unit: '×',
      target: 'flat',
      reached: run.rssAtEndMb / run.rssAtFifthMb < ratioMax,
      note: `${run.rssMostMb.toFixed(0)} MB at most, with Node's own loader of TypeScript`,
    },
  ];
}

async function servedRows(options: CollectionOptions): Promise<BenchRow[]> {
  const { clock, signal, say } = options;
  say('collection: etcd and kube-apiserver');
  const server = await startApiServer({ clock }, signal);
  const config = await loadKubeConfig({ path: server.kubeconfig, env: {} });
  const kube = kubeClient({ config, clock, random: systemRandom, log: silentLogger });
  const rows: BenchRow[] = [];
  const measure = async (namespace: string) =>
    await measured<ServedResult>(options, [
      'collect-served.ts',
      String(rounds),
      namespace,
      '--kubeconfig',
      server.kubeconfig,
    ]);
  try {
    await fillApiServer(kube, ['small'], { configMaps: 1_502, secrets: 1_501 }, signal);
    rows.push(smallRow(await measure('small')));
    say('collection: writing 20,000 ConfigMaps into one namespace');
    await fillApiServer(kube, ['one'], { configMaps: 20_000, secrets: 0 }, signal);
    rows.push(...rateRows('20,000 ConfigMaps of one namespace', await measure('one')));
    say('collection: writing 80,000 ConfigMaps into 2,500 namespaces');
    const many = Array.from({ length: 2_500 }, (_, at) => `many-${at}`);
    await fillApiServer(kube, many, { configMaps: 32, secrets: 0 }, signal);
    rows.push(...rateRows('100,000 objects in 2,500 namespaces', await measure('*')));
  } finally {
    await kube.close();
    await server.stop();
  }
  return rows;
}

function smallRow({ rounds: runs }: ServedResult): BenchRow {
  return {
    name: '3,003 ConfigMaps and Secrets of one namespace: the engine alone',
    value: median(runs.map(({ seconds }) => seconds)),
    unit: 's',
    target: 'under 1.5 s with everything around it',
    note: `${runs[0]?.objects} objects; the first run, with discovery: ${runs[0]?.seconds.toFixed(2)} s`,
  };
}

function rateRows(what: string, { rounds: runs, rssMostMb }: ServedResult): BenchRow[] {
  const rate = median(runs.map(({ objects, seconds }) => objects / seconds));
  const toRaw = median(runs.map(({ raw, seconds }) => raw / seconds));
  const cpu = median(runs.map(({ cpuSeconds, objects }) => (cpuSeconds / objects) * 1e6));
  return [
    {
      name: `${what}: objects per second`,
      value: rate,
      unit: '/s',
      target: `at least ${rateMin}/s or 80 % of raw pages`,
      reached: rate >= rateMin || toRaw >= 0.8,
      note: `${toRaw.toFixed(2)} × the rate of raw pages; ${cpu.toFixed(0)} µs of CPU each`,
    },
    {
      name: `${what}: resident at most`,
      value: rssMostMb,
      unit: 'MB',
      target: `under ${megabytesMax} MB`,
      reached: rssMostMb < megabytesMax,
      note: "raw pages and Node's own loader of TypeScript included",
    },
  ];
}
