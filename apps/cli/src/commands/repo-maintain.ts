import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { repositoryNamed } from '../repo/find-repositories.ts';
import { taskPorts } from '../repo/job/task-ports.ts';
import { parseValueFormat, printValue, valueFormats } from '../repo/print-value.ts';
import { runShown } from '../repo/run-shown.ts';
import { maintainLine } from '../repo/say-result.ts';

interface Flags {
  output: string;
  full?: boolean;
}

const examples = `
Examples:
  lateen repo maintain shop-default-kopia
  lateen repo maintain shop-default-kopia --full

Full maintenance deletes what no snapshot needs, once it is old enough: space comes back a day or more after snapshots
were deleted.`;

/** `lateen repo maintain NAME` */
export function repoMaintainCommand(context: CommandContext): Command {
  return new Command('maintain')
    .description('Maintain a repository now, whatever its schedule says')
    .addArgument(completedArgument('<name>', 'name of the BackupRepository', repositoryNames))
    .option('--full', 'full maintenance: also look for data that no snapshot needs')
    .addOption(completedOption('-o, --output <format>', 'table, json or yaml', valueFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (name: string, flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const ports = await taskPorts(context, global);
      const repository = await repositoryNamed(ports.kube, global.namespace, name, context.signal);
      const found = repository.metadata.name ?? '';
      const mode = flags.full === true ? 'full' : 'quick';
      const { result, durationMs } = await runShown(context, ports, repository, { operation: 'maintain', mode });
      const value = { repository: found, durationMs, ...result };
      context.stdout.write(printValue(format, [maintainLine(found, result, durationMs)], value));
    });
}
