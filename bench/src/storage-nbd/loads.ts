import type { ReplicaLink } from '@lateen/block-engine';
import type { Clock, Random } from '@lateen/kernel';

export interface Load {
  title: string;
  fio: 'read' | 'write' | 'randread' | 'randwrite';
  blockBytes: number;
  depth: number;
  /** Unit of its figure: requests per second, or MB per second. */
  unit: 'IOPS' | 'MB/s';
}

const MiB = 1024 * 1024;
export const loads: readonly Load[] = [
  { title: 'read 1 MiB, 8 under way', fio: 'read', blockBytes: MiB, depth: 8, unit: 'MB/s' },
  { title: 'write 1 MiB, 8 under way', fio: 'write', blockBytes: MiB, depth: 8, unit: 'MB/s' },
  { title: 'random read 4 KiB, 16 under way', fio: 'randread', blockBytes: 4096, depth: 16, unit: 'IOPS' },
  { title: 'random write 4 KiB, 16 under way', fio: 'randwrite', blockBytes: 4096, depth: 16, unit: 'IOPS' },
];

export function figure(load: Load, requestsPerSecond: number): number {
  return load.unit === 'IOPS' ? requestsPerSecond : (requestsPerSecond * load.blockBytes) / 1e6;
}

/** Requests per second of one load through our link. */
export async function loadLink(
  link: ReplicaLink,
  load: Load,
  o: { clock: Clock; random: Random; ms: number },
): Promise<number> {
  const blocks = Number(link.sizeBytes) / load.blockBytes;
  const data = [Buffer.alloc(load.blockBytes, 7)];
  const startMs = o.clock.monotonicMs();
  let begun = 0;
  let done = 0;
  const worker = async () => {
    while (o.clock.monotonicMs() - startMs < o.ms) {
      const block = load.fio.startsWith('rand') ? Math.floor(o.random.next() * blocks) : begun++ % blocks;
      const at = BigInt(block * load.blockBytes);
      if (load.fio.endsWith('read')) await link.read(at, load.blockBytes);
      else await link.write(at, data);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: load.depth }, worker));
  return (done * 1000) / (o.clock.monotonicMs() - startMs);
}
