import { streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { systemClock, systemRandom } from '@lateen/kernel';
import { stopSignal } from '@lateen/process';
import { Command } from 'commander';
import { startLateen } from './start-lateen.ts';

const program = new Command('installation')
  .description('Starts a cluster and installs Lateen of this checkout on it; updates both if they exist already')
  .option('--dir <folder>', 'folder of the cluster (default: .lateen/cluster)')
  .option('--nodes <number>', 'number of nodes', Number)
  .option('--replicated', 'also install the volume manager for replicated volumes')
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
