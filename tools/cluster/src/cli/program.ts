import { AppError, isAppError } from '@lateen/errors';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { defaultClusterDir } from '../lifecycle/default-dir.ts';
import * as actions from './actions.ts';
import type { CliPorts } from './cli-ports.ts';
import { type OutputFormat, outputFormats } from './format-status.ts';

export const exitCodes = { ok: 0, failed: 1, usage: 2, notRunning: 3, interrupted: 130 } as const;

const examples = `
Examples:
  npm run cluster -- up                                 one node, in .lateen/cluster
  npm run cluster -- up --nodes 3 --dir /tmp/three      another cluster at the same time
  export KUBECONFIG=$(npm run -s cluster -- kubeconfig)
  npm run cluster -- load-image dist/lateen.tar
  npm run cluster -- exec node-1 -- ctr -n k8s.io containers list
  npm run cluster -- kill node-2                        turn it off, like a power failure
  npm run cluster -- down

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 status: the cluster does not run completely, 130 interrupted.
The programs are built at the first start and kept in LATEEN_CACHE (default ~/.cache/lateen).`;

/** The commands of the cluster tool. Parsing throws CommanderError for wrong usage, after printing it. */
export function clusterProgram(ports: CliPorts): Command {
  const program = new Command('cluster');
  program
    .description('A real Kubernetes cluster on this machine, from pinned versions of its programs. Needs root.')
    .addHelpText('after', examples)
    .showHelpAfterError('(--help lists commands and options)')
    .exitOverride();

  command(program, 'up', 'start the cluster, or repair it: what runs already keeps running')
    .option(
      '--nodes <number>',
      'number of nodes (default: as many as the cluster has; 1 for a new one)',
      positiveNumber,
    )
    .action((options: { dir: string; nodes?: number }) => actions.up(options, ports));
  command(program, 'down', 'remove the cluster and all its data').action((options: { dir: string }) =>
    actions.down(options, ports),
  );
  command(program, 'status', 'show which machines and programs run')
    .addOption(new Option('-o, --output <format>', 'output format').choices(outputFormats).default('text'))
    .action((options: { dir: string; output: OutputFormat }) => actions.status(options, ports));
  command(program, 'kubeconfig', 'print the path of the kubeconfig')
    .option('--content', 'print the content of the file instead; it contains a private key')
    .action((options: { dir: string; content?: boolean }) => actions.printKubeconfig(options, ports));
  command(program, 'load-image', 'load OCI archives into every node')
    .argument('<archive...>', 'OCI archives (tar)')
    .action((archives: string[], options: { dir: string }) => actions.loadImages(archives, options, ports));
  command(program, 'exec', 'run a command inside a machine (control-plane, node-1, …)')
    .argument('<machine>')
    .argument('<command...>')
    .passThroughOptions()
    .action((machine: string, argv: string[], options: { dir: string }) => actions.exec(machine, argv, options, ports));
  command(program, 'kill', 'turn a machine off, like a power failure; `up` starts it again')
    .argument('<machine>', 'control-plane, node-1, …')
    .action((machine: string, options: { dir: string }) => actions.kill(machine, options, ports));
  command(
    program,
    'leftovers',
    'list all processes, mounts, devices and networks of the cluster on this machine',
  ).action((options: { dir: string }) => actions.leftovers(options, ports));
  program
    .command('parts')
    .description('build the named programs (default: all) and print their paths')
    .argument('[name...]')
    .action((names: string[]) => actions.buildParts(names, ports));
  return program;
}

function command(program: Command, name: string, description: string): Command {
  return program
    .enablePositionalOptions()
    .command(name)
    .description(description)
    .option('--dir <folder>', 'folder of the cluster; another folder is another cluster', defaultClusterDir);
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return value;
}

/** The exit code of an error of a command. commander has already printed usage errors. */
export function exitCodeOf(error: unknown): { code: number; printed: boolean } {
  if (error instanceof CommanderError)
    return { code: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, printed: true };
  if (isAppError(error, 'CLUSTER_NOT_WHOLE')) return { code: exitCodes.notRunning, printed: true };
  if (error instanceof AppError && typeof error.details.exitCode === 'number' && error.code === 'EXEC_FAILED')
    return { code: error.details.exitCode, printed: true };
  return { code: exitCodes.failed, printed: false };
}
