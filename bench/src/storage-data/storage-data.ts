import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlockTools, blockTools, freePorts } from '@lateen/cluster';
import { command } from '@lateen/csi-rig';
import type { Clock } from '@lateen/kernel';
import { nbdUri } from '@lateen/nbd';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { figure, type Load, loads } from '../storage-nbd/loads.ts';
import { fioRate, runTool, startReplicaDaemon } from '../storage-nbd/replica-daemon.ts';

const runs = 5;
const eachMs = 1_000;
const readyMsMax = 30_000;
const sizeBytes = 512 * 1024 * 1024;
const exportName = 'replica';
/** Percent of a plain loop device, with two replicas. */
const targets: Readonly<Record<Load['fio'], number>> = { read: 25, write: 25, randread: 15, randwrite: 15 };

type Rates = ReadonlyMap<Load, { readonly loop: number; readonly volume: number }>;

interface Parts {
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/**
 * The data path of a replicated volume as a pod has it (replicas in storage daemons, one by its socket and one over TCP; the engine in a
 * process of its own; nbdfuse and a loop device) against a loop device on a plain file beside it, in turns; then the same with one
 * replica dead. Needs root.
 */
export async function benchStorageData(o: Parts): Promise<BenchRow[]> {
  await using undo = new AsyncDisposableStack();
  const tools = await blockTools();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-data-'));
  undo.defer(() => rm(directory, { recursive: true }));
  const plain = join(directory, 'plain');
  await command('truncate', '--size', `${sizeBytes}`, plain);
  const loop = await loopOn(plain, undo);
  const { device: volume, killOther } = await startVolume(tools, directory, undo, o.clock);
  for (const device of [loop, volume])
    await command('dd', 'if=/dev/zero', `of=${device}`, 'bs=1M', `count=${sizeBytes / 1024 ** 2}`, 'oflag=direct');
  const healthy = await measured(tools, 'two replicas', { loop, volume }, o);
  await killOther();
  const alone = await measured(tools, 'one of two dead', { loop, volume }, o);
  return [
    ...rowsOf('two replicas', healthy, () => undefined),
    ...rowsOf('one of two dead', alone, (load) => healthy.get(load)),
  ];
}

/** Devices end before what serves them: what was made last ends first. */
async function startVolume(tools: BlockTools, directory: string, undo: AsyncDisposableStack, clock: Clock) {
  const [a, b, mountPoint] = ['a', 'b', 'front'].map((name) => join(directory, name)) as [string, string, string];
  for (const path of [a, b, mountPoint]) await mkdir(path);
  const [port = 0] = await freePorts(1);
  const local = join(a, 'nbd.sock');
  undo.use(await startReplicaDaemon(tools, { directory: a, at: { path: local }, exportName, sizeBytes }, clock));
  const at = { host: '127.0.0.1', port };
  const other = await startReplicaDaemon(tools, { directory: b, at, exportName, sizeBytes }, clock);
  let isDead = false;
  const killOther = async () => {
    if (!isDead) await other[Symbol.asyncDispose]();
    isDead = true;
  };
  undo.defer(killOther);
  const own = join(directory, 'engine.sock');
  const args = [join(import.meta.dirname, 'engine-main.ts'), own, exportName, `${sizeBytes}`, local, `${port}`];
  const engine = spawn(process.execPath, ['--no-maglev', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  undo.defer(() => ended(engine, () => engine.stdin.end()));
  await once(engine.stdout, 'data');
  const file = join(mountPoint, 'volume');
  const fuse = spawn(tools.nbdfuse, ['-C', '4', file, nbdUri({ path: own }, 'volume')], { stdio: 'ignore' });
  undo.defer(() => ended(fuse, () => void command('umount', mountPoint)));
  await isThere(file, clock);
  return { device: await loopOn(file, undo), killOther };
}

async function ended(child: ReturnType<typeof spawn>, end: () => void): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  end();
  await exit;
}

async function isThere(path: string, clock: Clock): Promise<void> {
  const endMs = clock.monotonicMs() + readyMsMax;
  while (
    !(await access(path).then(
      () => true,
      () => false,
    ))
  ) {
    if (clock.monotonicMs() > endMs) throw new Error(`${path} is not there after ${readyMsMax / 1_000} s`);
    await clock.sleep(20);
  }
}

async function loopOn(file: string, undo: AsyncDisposableStack): Promise<string> {
  const device = (await command('losetup', '--find', '--show', '--direct-io=on', file)).trim();
  undo.defer(async () => void (await command('losetup', '--detach', device)));
  return device;
}

/** Medians, in turns: other work of the machine falls on both. */
async function measured(
  tools: BlockTools,
  title: string,
  { loop, volume }: { loop: string; volume: string },
  { clock, signal, say }: Parts,
): Promise<Rates> {
  const rates = new Map<Load, { loop: number; volume: number }>();
  for (const load of loads) {
    const found: { loop: number[]; volume: number[] } = { loop: [], volume: [] };
    for (let run = 0; run < runs; run++) {
      signal.throwIfAborted();
      say(`${title}, ${load.title}: ${run + 1} of ${runs}`);
      found.loop.push(await fio(tools, load, loop, clock));
      found.volume.push(await fio(tools, load, volume, clock));
    }
    rates.set(load, { loop: median(found.loop), volume: median(found.volume) });
  }
  return rates;
}

async function fio(tools: BlockTools, load: Load, device: string, clock: Clock): Promise<number> {
  const io = ['--name=x', '--ioengine=libaio', '--direct=1', `--filename=${device}`, `--rw=${load.fio}`];
  const bounds = [`--bs=${load.blockBytes}`, `--iodepth=${load.depth}`, `--runtime=${eachMs}ms`, '--time_based'];
  return fioRate(
    await runTool(tools.fio, [...io, ...bounds, '--output-format=json'], clock),
    load.fio.endsWith('read'),
  );
}

/** Of a loop device; `before`: what it is compared with where one replica is dead. */
function rowsOf(
  title: string,
  rates: Rates,
  before: (load: Load) => { loop: number; volume: number } | undefined,
): BenchRow[] {
  return [...rates].map(([load, { loop, volume }]) => {
    const value = percent(volume, loop);
    const was = before(load);
    const target = was === undefined ? targets[load.fio] : percent(was.volume, was.loop);
    const of = `${Math.round(figure(load, volume))} of ${Math.round(figure(load, loop))} ${load.unit}`;
    return {
      name: `replicated volume, ${title}, ${load.title}`,
      ...{ value, unit: '% of a loop device', target: `at least ${target} %`, reached: value >= target },
      note: of,
    };
  });
}

const percent = (value: number, of: number): number => Math.round((value / of) * 100);
