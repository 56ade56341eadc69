import { tmpdir } from 'node:os';
import { archiveWriter, itemPaths } from '@lateen/archive';
import { silentLogger, systemClock } from '@lateen/kernel';
import { groupResourceText } from '@lateen/kube';
import { readCatalog } from '@lateen/restore';
import { generatedItems } from '../../backup/measure/generated-cluster.ts';
import { residentMb } from './process-memory.ts';

/*
 * For the benchmark of archives: `node --expose-gc catalog-cost.ts`. Builds the catalog of an archive of 300,000 objects, which is
 * generated while it is read, and reads objects in order and in random order. Prints one line of JSON.
 */

const { signal } = new AbortController();
const readsAtOnce = 32;
const reads = 20_000;

const liveBytes = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

async function* archive(): AsyncGenerator<Uint8Array> {
  const writer = archiveWriter({ mtimeMs: 0 });
  const writing = (async () => {
    for (const { type, object } of generatedItems()) {
      const { name = '', namespace } = object.metadata;
      const place = { groupResource: groupResourceText(type), name, ...(namespace === undefined ? {} : { namespace }) };
      const body = JSON.stringify(object);
      for (const path of itemPaths({ ...place, version: type.version, preferred: true })) {
        const behind = writer.add(path, body);
        if (behind !== undefined) await behind;
      }
    }
    await writer.end();
  })();
  yield* writer.pieces;
  await writing;
}

const pieces = await Array.fromAsync(archive());
const before = liveBytes();
const startedMs = systemClock.monotonicMs();
const cpu = process.cpuUsage();
const catalog = await readCatalog(
  (async function* () {
    yield* pieces;
  })(),
  { scratchDirectory: tmpdir(), log: silentLogger, signal, memoryBytesMax: 0 },
);
const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
const { user, system } = process.cpuUsage(cpu);
const heldBytes = liveBytes() - before;

async function readRate(indexOf: (at: number) => number): Promise<number> {
  const startMs = systemClock.monotonicMs();
  let next = 0;
  const worker = async () => {
    while (next < reads) {
      const item = catalog.items[indexOf(next++)];
      if (item !== undefined) await catalog.read(item, signal);
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, worker));
  return (reads * 1000) / (systemClock.monotonicMs() - startMs);
}

const count = catalog.items.length;
const inOrder = await readRate((at) => at % count);
const inNoOrder = await readRate((at) => (Math.imul(at, 2_654_435) % count) & 0x7f_ff_ff_ff);
console.log(
  JSON.stringify({
    objects: count,
    seconds,
    cpuMicroseconds: (user + system) / count,
    bytesPerObject: heldBytes / count,
    readsPerSecond: inOrder,
    readsInNoOrderPerSecond: inNoOrder,
    residentMostMb: residentMb('VmHWM'),
  }),
);
await catalog.close();
