import { streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { systemClock, systemRandom } from '@lateen/kernel';
import { stopSignal } from '@lateen/process';
import { Command } from 'commander';
import { startLateen } from './start-lateen.ts';

const program = new Command('installation')
  .description('Brings a cluster of our own up with Lateen on it, or to what this checkout has')
  .option('--dir <folder>', "the cluster's folder (default: the cluster tool's)")
  .option('--nodes <number>', 'how many nodes', Number)
  .option('--replicated', 'with volumes that have replicas on several nodes')
  .action(async ({ dir, nodes, replicated }: { dir?: string; nodes?: number; replicated?: boolean }) => {
    const lateen = await startLateen({
      ...(dir === undefined ? {} : { dir }),
      ...(nodes === undefined ? {} : { nodes }),
      ...(replicated === undefined ? {} : { replicated }),
      progress: streamProgress(process.stderr, systemClock),
      clock: systemClock,
      random: systemRandom,
      signal: stopSignal('told to stop', { again: 'ends' }),
    });
    process.stdout.write(`KUBECONFIG=${lateen.kubeconfig}\n`);
    await lateen.close();
  });

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`installation: ${describeError(error)}\n`);
  process.exitCode = 1;
});
