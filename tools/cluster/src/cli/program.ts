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
  npm run cluster -- up --nodes 3 --dir /tmp/three      another cluster beside it
  export KUBECONFIG=$(npm run -s cluster -- kubeconfig)
  npm run cluster -- load-image dist/lateen.tar
  npm run cluster -- exec node-1 -- ctr -n k8s.io containers list
  npm run cluster -- kill node-2                        as a loss of power does
  npm run cluster -- down

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 status: not running or not whole, 130 interrupted.
Built programs are kept in LATEEN_CACHE (default ~/.cache/lateen) and used again.`;

/** The commands of the cluster tool. Parsing throws CommanderError for wrong usage, after printing it. */
export function clusterProgram(ports: CliPorts): Command {
  const program = new Command('cluster');
  program
    .description('A real Kubernetes cluster on this machine, from pinned parts.')
    .addHelpText('after', examples)
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride();

  command(program, 'up', 'start the cluster, or repair it: whatever runs is left alone')
    .option('--nodes <number>', 'how many nodes (default: as many as it has, else 1)', positiveNumber)
    .action((options: { dir: string; nodes?: number }) => actions.up(options, ports));
  command(program, 'down', 'remove the cluster with everything in it').action((options: { dir: string }) =>
    actions.down(options, ports),
  );
  command(program, 'status', 'what runs and what does not')
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(outputFormats).default('text'))
    .action((options: { dir: string; output: OutputFormat }) => actions.status(options, ports));
  command(program, 'kubeconfig', 'print the path of the kubeconfig')
    .option('--content', 'print the file itself; it holds a private key')
    .action((options: { dir: string; content?: boolean }) => actions.printKubeconfig(options, ports));
  command(program, 'load-image', 'load OCI archives into every node')
    .argument('<archive...>', 'OCI archives (tar)')
    .action((archives: string[], options: { dir: string }) => actions.loadImages(archives, options, ports));
  command(program, 'exec', 'run a command inside a machine (control-plane, node-1, …)')
    .argument('<machine>')
    .argument('<command...>')
    .passThroughOptions()
    .action((machine: string, argv: string[], options: { dir: string }) => actions.exec(machine, argv, options, ports));
  command(program, 'kill', 'end a machine as a loss of power does; `up` starts it again')
    .argument('<machine>', 'control-plane, node-1, …')
    .action((machine: string, options: { dir: string }) => actions.kill(machine, options, ports));
  command(program, 'leftovers', 'list everything of the cluster that is on this machine').action(
    (options: { dir: string }) => actions.leftovers(options, ports),
  );
  program
    .command('parts')
    .description('build the named programs (default: all) and print where they are')
    .argument('[name...]')
    .action((names: string[]) => actions.buildParts(names, ports));
  return program;
}

function command(program: Command, name: string, description: string): Command {
  return program
    .enablePositionalOptions()
    .command(name)
    .description(description)
    .option('--dir <folder>', "the cluster's folder, which is its identity", defaultClusterDir);
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.');
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
