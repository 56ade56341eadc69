import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplicaLink } from '@lateen/block-engine';
import { type BlockTools, blockTools } from '@lateen/cluster';
import { type Clock, systemRandom as random } from '@lateen/kernel';
import { connectReplica, nbdUri } from '@lateen/nbd';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { figure, type Load, loadLink, loads } from './loads.ts';
import { fioRate, runTool, startReplicaDaemon } from './replica-daemon.ts';

const runs = 5;
const eachMs = 1_000;
const sizeBytes = 256 * 1024 * 1024;
const exportName = 'replica';

/** The same load with libnbd (fio) directly to qemu-storage-daemon, with our link, and with libnbd through our server and our link. */
export async function benchStorageNbd(o: {
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}): Promise<BenchRow[]> {
  const tools = await blockTools();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-nbd-'));
  const replica = join(directory, 'replica.sock');
  try {
    await using _ = await startReplicaDaemon(
      tools,
      { directory, at: { path: replica }, exportName, sizeBytes },
      o.clock,
    );
    await using link = await connectReplica({ at: { path: replica }, exportName, clock: o.clock });
    const front = join(directory, 'front.sock');
    await using __ = await startFront(replica, front);
    await fill(link);
    const straight = nbdUri({ path: replica }, exportName);
    const through = nbdUri({ path: front }, 'volume');
    const rows: BenchRow[] = [];
    for (const load of loads) {
      const rates: [number[], number[], number[]] = [[], [], []];
      for (let run = 0; run < runs; run++) {
        o.signal.throwIfAborted();
        o.say(`${load.title}: ${run + 1} of ${runs}`);
        rates[0].push(await fio(tools, load, straight, o));
        rates[1].push(await loadLink(link, load, { clock: o.clock, random, ms: eachMs }));
        rates[2].push(await fio(tools, load, through, o));
      }
      rows.push(...rowsOf(load, rates));
    }
    return [...rows, ...(await benchCopies(tools, { link, straight, through }, o))];
  } finally {
    await rm(directory, { recursive: true });
  }
}

function rowsOf(load: Load, rates: readonly (readonly number[])[]): BenchRow[] {
  const [straight = 0, ours = 0, through = 0] = rates.map((all) => figure(load, median([...all])));
  const note = `libnbd straight to qemu-storage-daemon: ${Math.round(straight)} ${load.unit}`;
  return [
    { name: `NBD, ${load.title}: our client`, value: ours, unit: load.unit, note: `${ratio(ours, straight)}; ${note}` },
    {
      name: `NBD, ${load.title}: through our server and client`,
      value: through,
      unit: load.unit,
      note: `${ratio(through, straight)}; ${note}`,
    },
  ];
}

const ratio = (value: number, of: number) => `${(value / of).toFixed(2)} of libnbd's`;

/** Reads a whole device: nbdcopy with one connection, and our link with as many parallel requests of the same size. */
async function benchCopies(
  tools: BlockTools,
  { link, straight, through }: { link: ReplicaLink; straight: string; through: string },
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<BenchRow[]> {
  const pieceBytes = 256 * 1024;
  const rates: [number[], number[], number[]] = [[], [], []];
  const timed = async (act: () => Promise<unknown>) => {
    const startMs = clock.monotonicMs();
    await act();
    return sizeBytes / 1e3 / (clock.monotonicMs() - startMs);
  };
  const nbdcopy = (uri: string) => runTool(tools.nbdcopy, ['--connections=1', '--requests=64', uri, 'null:'], clock);
  for (let run = 0; run < runs; run++) {
    signal.throwIfAborted();
    rates[0].push(await timed(() => nbdcopy(straight)));
    rates[1].push(await timed(() => readWhole(link, pieceBytes)));
    rates[2].push(await timed(() => nbdcopy(through)));
  }
  const [straightRate = 0, ours = 0, throughRate = 0] = rates.map((all) => median(all));
  const note = (value: number) =>
    `${(value / straightRate).toFixed(2)} of nbdcopy's; nbdcopy straight: ${Math.round(straightRate)} MB/s`;
  return [
    { name: 'NBD, a whole device: our client', value: ours, unit: 'MB/s', note: note(ours) },
    {
      name: 'NBD, a whole device: nbdcopy through our server',
      value: throughRate,
      unit: 'MB/s',
      note: note(throughRate),
    },
  ];
}

async function readWhole(link: ReplicaLink, pieceBytes: number): Promise<void> {
  let next = 0;
  const reader = async () => {
    while (next < sizeBytes) {
      const at = next;
      next += pieceBytes;
      await link.read(BigInt(at), pieceBytes);
    }
  };
  await Promise.all(Array.from({ length: 64 }, reader));
}

async function fill(link: ReplicaLink): Promise<void> {
  const piece = [Buffer.alloc(4 * 1024 * 1024, 0x5a)];
  for (let at = 0; at < sizeBytes; at += 4 * 1024 * 1024) await link.write(BigInt(at), piece);
  await link.flush();
}

/** In a separate process, with the option of Node that the image has. */
async function startFront(replica: string, own: string): Promise<AsyncDisposable> {
  const args = ['--no-maglev', join(import.meta.dirname, 'front-main.ts'), replica, exportName, own];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** Requests per second. */
async function fio(tools: BlockTools, load: Load, uri: string, { clock }: { clock: Clock }): Promise<number> {
  const args = ['--name=x', '--ioengine=nbd', `--uri=${uri}`, `--rw=${load.fio}`, `--bs=${load.blockBytes}`];
  const bounds = [`--iodepth=${load.depth}`, `--runtime=${eachMs}ms`, '--time_based', '--output-format=json'];
  const said = await runTool(tools.fio, [...args, ...bounds], clock);
  return fioRate(said, load.fio.endsWith('read'));
}
