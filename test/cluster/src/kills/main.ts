import { join } from 'node:path';
import { clusterDown, streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';
import { Command } from 'commander';
import { killKinds } from './kill-plan.ts';
import { natural } from './natural.ts';
import { runKills } from './run-kills.ts';

const flags = new Command('npm run kills --')
  .description(
    'Moves volumes on a real cluster of two nodes while movers, engines, pods, node-agents and nodes are killed.',
  )
  .option('--kills <number>', 'number of kills', natural, 200)
  .option(
    '--seed <number>',
    'seed of the random choice of what is killed when; exact times also depend on the machine',
    natural,
    1,
  )
  .option('--lanes <number>', 'volumes that are moved at the same time, on each node', natural, 2)
  .option('--keep', 'leave the cluster running')
  .addHelpText('after', '\nExamples:\n  npm run kills\n  npm run kills -- --kills 20 --seed 7')
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ kills: number; seed: number; lanes: number; keep?: boolean }>();

const dir = join(import.meta.dirname, '..', '..', '..', '..', '.lateen', 'kills-cluster');
const nodes = 2;
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));

async function main(): Promise<void> {
  const clock = systemClock;
  const progress = streamProgress(process.stderr, clock);
  const { signal } = interrupted;
  const lateen = await startLateen({ dir, nodes, progress, clock, random: systemRandom, signal });
  try {
    const startedMs = clock.monotonicMs();
    const result = await runKills({
      ...lateen,
      clock,
      random: seededRandom(flags.seed),
      nodes: Array.from({ length: nodes }, (_, at) => `node-${at + 1}`),
      kills: flags.kills,
      kinds: killKinds,
      lanesPerNode: flags.lanes,
      machines: { dir, nodes },
      say: (text) => process.stderr.write(`${text}\n`),
      signal,
    });
    const seconds = Math.round((clock.monotonicMs() - startedMs) / 1000);
    const kills = [...result.kills].map(([kind, count]) => `${count} ${kind}`).join(', ');
    console.log(`seed ${flags.seed}: ${kills} killed in ${seconds} s`);
    console.log(
      `${result.rounds} rounds (${2 * result.rounds} movements) Completed with equal trees, in ${result.attempts} attempts`,
    );
    console.log(
      result.leftovers.length === 0 ? 'everything was cleaned up' : `not cleaned up: ${result.leftovers.join(', ')}`,
    );
    if (result.leftovers.length > 0) process.exitCode = 1;
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
