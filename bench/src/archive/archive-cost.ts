import { createGunzip, createGzip } from 'node:zlib';
import { archiveWriter, readArchive, rewriteArchive } from '@lateen/archive';
import type { Clock } from '@lateen/kernel';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { type BenchObject, benchObjects } from './objects.ts';

const runs = 5;
const objectCount = 30_000;
/** zlib's default level, and the level of the archive. */
const levels = [6, 3, 1] as const;
const levelUsed = 3;
const writing = `write, level ${levelUsed}`;
/** Size of the pieces in which a bucket returns them. */
const pieceBytes = 64 * 1024;

interface Cost {
  wallMs: number;
  /** CPU time of all threads. */
  cpuMs: number;
  /** CPU time of the main thread, which the rest of the process needs too. */
  loopMs: number;
}

/** The archive of 30,000 objects of 1 KiB, each stored twice, compared with gzip alone on the same bytes. */
export async function benchArchive(clock: Clock, signal: AbortSignal): Promise<BenchRow[]> {
  const objects = benchObjects(objectCount);
  const measure = measureWith(clock);
  const archives = new Map<number, Buffer>();
  for (const level of levels) archives.set(level, await written(objects, level));
  const packed = archives.get(levelUsed) ?? Buffer.alloc(0);
  const tar = Buffer.concat(await Array.fromAsync(through(createGunzip(), packed)));
  const change = new Map([[objects[0]?.paths[0] ?? '', '{}']]);
  const ways: Record<string, () => Promise<unknown>> = {
    gzip: () => drained(through(createGzip({ level: levelUsed }), tar)),
    gunzip: () => drained(through(createGunzip(), packed)),
    ...Object.fromEntries(levels.map((level) => [`write, level ${level}`, () => written(objects, level)])),
    read: () => drained(readArchive(cut(packed))),
    rewrite: () => drained(rewriteArchive(cut(packed), change, { mtimeMs: 0 })),
  };
  const costs = new Map(Object.keys(ways).map((name) => [name, [] as Cost[]]));
  // Run 0 is a warm-up and not counted.
  for (let run = 0; run <= runs; run++)
    for (const [name, work] of Object.entries(ways)) {
      signal.throwIfAborted();
      const cost = await measure(work);
      if (run > 0) costs.get(name)?.push(cost);
    }
  return rowsOf(costs, { entries: objectCount * 2, tarBytes: tar.length, sizes: archives });
}

const measureWith =
  (clock: Clock) =>
  async (work: () => Promise<unknown>): Promise<Cost> => {
    const [startMs, cpu, loop] = [clock.monotonicMs(), process.cpuUsage(), process.threadCpuUsage()];
    await work();
    const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;
    return {
      wallMs: clock.monotonicMs() - startMs,
      cpuMs: msOf(process.cpuUsage(cpu)),
      loopMs: msOf(process.threadCpuUsage(loop)),
    };
  };

async function written(objects: readonly BenchObject[], level: number): Promise<Buffer> {
  const writer = archiveWriter({ mtimeMs: 0, level });
  const pieces = Array.fromAsync(writer.pieces);
  for (const { paths, body } of objects)
    for (const path of paths) {
      const behind = writer.add(path, body);
      if (behind !== undefined) await behind;
    }
  await writer.end();
  return Buffer.concat(await pieces);
}

async function* through(stream: NodeJS.ReadWriteStream, bytes: Buffer): AsyncGenerator<Buffer> {
  stream.end(bytes);
  yield* stream as AsyncIterable<Buffer>;
}

async function* cut(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function drained(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

/** A pure function. */
export function rowsOf(
  costs: ReadonlyMap<string, readonly Cost[]>,
  { entries, tarBytes, sizes }: { entries: number; tarBytes: number; sizes: ReadonlyMap<number, Uint8Array> },
): BenchRow[] {
  const of = (name: string, part: keyof Cost) => median((costs.get(name) ?? []).map((cost) => cost[part]));
  const ratio = (name: string, part: keyof Cost, ...others: string[]) =>
    median(
      (costs.get(name) ?? []).map(
        (cost, run) => cost[part] / sum(others.map((other) => costs.get(other)?.[run]?.[part] ?? Number.NaN)),
      ),
    );
  const perSecond = (name: string, part: keyof Cost) => (entries / of(name, part)) * 1_000;
  const atLoop = perSecond(writing, 'loopMs');
  const sizeOf = (level: number) => sizes.get(level)?.length ?? Number.NaN;
  const plain = `${(tarBytes / 1e6).toFixed(0)} MB of tar in ${entries} entries`;
  return [
    {
      name: 'archive: entries written a second of the loop',
      value: atLoop,
      unit: '/s',
      target: 'at least 30000 /s',
      reached: atLoop >= 30_000,
      note: `gzip runs beside it; ${plain}`,
    },
    {
      name: 'archive: entries written a second',
      value: perSecond(writing, 'wallMs'),
      unit: '/s',
      note: 'everything',
    },
    ...levels.map(
      (level): BenchRow => ({
        name: `archive: size at level ${level} / level 6`,
        value: sizeOf(level) / sizeOf(6),
        unit: '×',
        note: `${(sizeOf(level) / 1e6).toFixed(1)} MB, ${of(`write, level ${level}`, 'cpuMs').toFixed(0)} ms of CPU`,
      }),
    ),
    { name: 'archive: CPU of writing / gzip alone', value: ratio(writing, 'cpuMs', 'gzip'), unit: '×' },
    { name: 'archive: time of writing / gzip alone', value: ratio(writing, 'wallMs', 'gzip'), unit: '×' },
    { name: 'archive: entries read a second', value: perSecond('read', 'wallMs'), unit: '/s' },
    { name: 'archive: CPU of reading / gunzip alone', value: ratio('read', 'cpuMs', 'gunzip'), unit: '×' },
    { name: 'archive: entries rewritten a second', value: perSecond('rewrite', 'wallMs'), unit: '/s' },
    {
      name: 'archive: CPU of rewriting / gunzip and gzip alone',
      value: ratio('rewrite', 'cpuMs', 'gunzip', 'gzip'),
      unit: '×',
    },
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
