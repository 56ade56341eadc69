import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchRow } from '../bench-row.ts';

interface CatalogCost {
  objects: number;
  seconds: number;
  cpuMicroseconds: number;
  bytesPerObject: number;
  readsPerSecond: number;
  readsInNoOrderPerSecond: number;
  residentMostMb: number;
}

/** Options of Node: those of the image, and one to run garbage collection before memory is measured. */
const flags = ['--optimize-for-size', '--expose-gc'];

/** The catalog of an archive of 300,000 objects, in a separate process: its memory, and how fast objects are read again. */
export async function benchOpenArchive({ root, signal }: { root: string; signal: AbortSignal }): Promise<BenchRow[]> {
  const script = join(root, 'test/scenarios/src/restore/measure/catalog-cost.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script], { signal });
  const cost = JSON.parse(stdout) as CatalogCost;
  const name = `catalog of ${cost.objects} objects`;
  return [
    {
      name: `${name}: objects a second`,
      value: cost.objects / cost.seconds,
      unit: '/s',
      note: `each stored twice; ${cost.cpuMicroseconds.toFixed(0)} µs of CPU each, all threads`,
    },
    {
      name: `${name}: kept in memory of each`,
      value: cost.bytesPerObject,
      unit: 'B',
      target: 'a few hundred',
      reached: cost.bytesPerObject < 500,
      note: 'its body in the scratch directory',
    },
    { name: `${name}: objects read again a second, in order`, value: cost.readsPerSecond, unit: '/s' },
    {
      name: `${name}: objects read again a second, in no order`,
      value: cost.readsInNoOrderPerSecond,
      unit: '/s',
      note: 'a member of 256 KiB is unpacked for each',
    },
  ];
}
