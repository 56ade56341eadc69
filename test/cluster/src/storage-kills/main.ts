import { join, resolve } from 'node:path';
import { clusterDown, streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';
import { Command, Option } from 'commander';
import { natural } from '../kills/natural.ts';
import { type StorageKillKind, storageKillKinds } from './kill-kinds.ts';
import { killTable } from './kill-table.ts';
import { runStorageKills } from './run-storage-kills.ts';

const ownDir = join(import.meta.dirname, '..', '..', '..', '..', '.lateen', 'storage-kills-cluster');

const flags = new Command('npm run storage-kills --')
  .description(
    'Writes to a volume with three replicas on a real cluster of three nodes, while replicas, engines, instance managers, managers, front ends, nodes and networks are killed or cut off. It fails if an acknowledged write is lost, old data is read, or something is not cleaned up.',
  )
  .option('--kills <number>', 'number of kills', natural, 100)
  .option(
    '--seed <number>',
    'seed of the random choice of what is killed when; exact times also depend on the machine',
    natural,
    1,
  )
  .addOption(new Option('--kinds <kind...>', 'kill only these kinds').choices(storageKillKinds))
  .option('--dir <folder>', 'folder of the cluster', ownDir)
  .option('--keep', 'leave the cluster running')
  .addHelpText('after', '\nExamples:\n  npm run storage-kills\n  npm run storage-kills -- --kills 20 --seed 7')
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ kills: number; seed: number; kinds?: StorageKillKind[]; dir: string; keep?: boolean }>();

const nodes = 3;
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));

async function main(): Promise<void> {
  const clock = systemClock;
  const progress = streamProgress(process.stderr, clock);
  const { signal } = interrupted;
  const dir = resolve(flags.dir);
  const lateen = await startLateen({ dir, nodes, replicated: true, progress, clock, random: systemRandom, signal });
  try {
    if (lateen.cluster === undefined) throw new Error('there is no cluster of our own');
    const startedMs = clock.monotonicMs();
    const { rows, acknowledged, fio, differ, leftovers } = await runStorageKills({
      ...lateen,
      cluster: lateen.cluster,
      clock,
      random: seededRandom(flags.seed),
      kills: flags.kills,
      kinds: flags.kinds ?? storageKillKinds,
      say: (text) => process.stderr.write(`${text}\n`),
      signal,
    });
    const seconds = Math.round((clock.monotonicMs() - startedMs) / 1000);
    console.log(`seed ${flags.seed}: ${rows.length} kills in ${seconds} s\n${killTable(rows)}\n`);
    console.log(
      `${acknowledged} writes acknowledged, none lost; fio: ${fio.whole} rounds verified, ${fio.brokenOff} broken off`,
    );
    console.log(differ.length === 0 ? 'all replicas are equal' : `replicas differ: ${differ.join(', ')}`);
    console.log(leftovers.length === 0 ? 'everything was cleaned up' : `not cleaned up: ${leftovers.join(', ')}`);
    if (differ.length + leftovers.length > 0) process.exitCode = 1;
  } finally {
    await lateen.close();
    if (flags.keep !== true) await clusterDown({ dir, progress });
  }
}

try {
  await main();
} catch (error) {
  console.error(`lateen: seed ${flags.seed}: ${describeError(error)}`);
  process.exitCode = 1;
}
