import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { repositoryNamed } from '../repo/find-repositories.ts';
import { taskPorts } from '../repo/job/task-ports.ts';
import { parseValueFormat, printValue, valueFormats } from '../repo/print-value.ts';
import { runShown } from '../repo/run-shown.ts';
import { unlockLine } from '../repo/say-result.ts';

interface Flags {
  output: string;
}

const examples = `
Examples:
  lateen repo unlock shop-default-restic

Only locks whose maker is gone are removed: work that runs keeps its own.`;

/** `lateen repo unlock NAME` */
export function repoUnlockCommand(context: CommandContext): Command {
  return new Command('unlock')
    .description('Remove locks that programs left behind in a restic repository when they were killed')
    .addArgument(completedArgument('<name>', 'name of the BackupRepository', repositoryNames))
    .addOption(completedOption('-o, --output <format>', 'table, json or yaml', valueFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (name: string, flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const ports = await taskPorts(context, global);
      const repository = await repositoryNamed(ports.kube, global.namespace, name, context.signal);
      const found = repository.metadata.name ?? '';
      const { result } = await runShown(context, ports, repository, { operation: 'unlock' });
      context.stdout.write(printValue(format, [unlockLine(found, result)], { repository: found, ...result }));
    });
}
