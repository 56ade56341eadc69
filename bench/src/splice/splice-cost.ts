import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import type { Clock } from '@lateen/kernel';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { type SpliceBench, spliceBench } from './splice-bench.ts';

const MiB = 1024 * 1024;
const volumeBytes = 600 * MiB;
const rounds = 5;

interface Options {
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/** Figures of one round, in ms and bytes. */
interface Round {
  wholeMs: number;
  openMs: number;
  spliceMs: number;
  readBytes: number;
  rawMs: number;
  manifestMs: number;
}

/**
 * Two chunks of a volume of 600 MiB change. The next snapshot is created by kopia, which reads everything, and by a splice, alternating,
 * from the same base; the time of a splice includes opening its session. Repository in a directory; the volume is in the page cache.
 */
export async function benchSplice({ clock, signal, say }: Options): Promise<BenchRow[]> {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-splice-'));
  try {
    const volume = await open(join(directory, 'volume'), 'w+');
    await fill(volume);
    const bench = await spliceBench({ kopia, directory, volume, volumeBytes, clock, signal });
    say('splice: 600 MiB are stored');
    await bench.takeWhole();
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      say(`splice: round ${round + 1} of ${rounds}`);
      measured.push(await oneRound(bench, volume, { directory, clock, round }));
    }
    await volume.close();
    return rowsOf(measured, bench);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function oneRound(
  bench: SpliceBench,
  volume: FileHandle,
  { directory, clock, round }: { directory: string; clock: Clock; round: number },
): Promise<Round> {
  const timed = async <T>(act: () => Promise<T>): Promise<[number, T]> => {
    const startMs = clock.monotonicMs();
    const result = await act();
    return [clock.monotonicMs() - startMs, result];
  };
  const baseID = bench.lastID();
  const changed = [
    { offset: (40 + round) * 4 * MiB + 100, length: 4096 },
    { offset: (120 + round) * 4 * MiB + 8192, length: 4096 },
  ];
  for (const { offset, length } of changed)
    await volume.write(Buffer.alloc(length, `round ${round}`), 0, length, offset);
  // The splice first: the full read then finds the chunks stored.
  const [spliceMs, { openMs, readBytes }] = await timed(() => bench.splice(baseID, changed));
  const [wholeMs] = await timed(() => bench.takeWhole());
  const [rawMs] = await timed(() => writeRaw(join(directory, 'raw'), readBytes));
  const [manifestMs] = await timed(() => bench.rewriteManifest());
  return { wholeMs, openMs, spliceMs, readBytes, rawMs, manifestMs };
}

/** Random data, so that no two chunks are equal. */
async function fill(volume: FileHandle): Promise<void> {
  const piece = Buffer.alloc(MiB);
  let state = 88_172_645;
  for (let at = 0; at < volumeBytes; at += piece.length) {
    for (let word = 0; word < piece.length; word += 4) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      piece.writeInt32LE(state, word);
    }
    await volume.write(piece, 0, piece.length, at);
  }
}

async function writeRaw(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.write(Buffer.alloc(bytes, 'r'));
  await file.sync();
  await file.close();
}

function rowsOf(measured: readonly Round[], { peaks }: SpliceBench): BenchRow[] {
  const of = (take: (round: Round) => number): number => median(measured.map(take));
  const [splice, whole, raw] = [of((one) => one.spliceMs), of((one) => one.wholeMs), of((one) => one.rawMs)];
  const limitMs = 2000 + 1.5 * raw;
  const ratio = of((one) => one.wholeMs / one.spliceMs);
  return [
    {
      name: '600 MiB, two chunks of 4 MiB changed: spliced',
      value: splice,
      unit: 'ms',
      target: 'at most 2 s + 1.5 × raw',
      reached: splice <= limitMs,
      note: `${of((one) => one.readBytes) / MiB} MiB read; session opened in ${of((one) => one.openMs).toFixed(0)} ms; raw writing ${raw.toFixed(0)} ms`,
    },
    { name: 'the same: read as a whole by kopia', value: whole, unit: 'ms', note: 'all but the two chunks is stored' },
    {
      name: 'the same: read as a whole / spliced',
      value: ratio,
      unit: '×',
      note: 'median of the ratios of five pairs',
    },
    {
      name: 'the same: resident memory of the server, at most',
      value: peaks().serverMB,
      unit: 'MB',
      note: 'set up for a pod of 256 MiB',
    },
    {
      name: 'a manifest rewritten through a session of its own',
      value: of((one) => one.manifestMs),
      unit: 'ms',
      target: 'at most 300 ms',
      reached: of((one) => one.manifestMs) <= 300,
      note: 'server started, manifest read, stored with other labels, old one deleted, flushed, server ended',
    },
  ];
}
