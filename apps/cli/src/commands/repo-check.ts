import { AppError } from '@lateen/errors';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { repositoryNamed } from '../repo/find-repositories.ts';
import { taskPorts } from '../repo/job/task-ports.ts';
import { parseValueFormat, printValue, valueFormats } from '../repo/print-value.ts';
import { runShown } from '../repo/run-shown.ts';
import { checkLines } from '../repo/say-result.ts';

interface Flags {
  output: string;
  /** `true` without a value. */
  readData?: string | true;
}

const examples = `
Examples:
  lateen repo check shop-default-kopia
  lateen repo check shop-default-kopia --read-data=10
  lateen repo check shop-default-kopia --read-data -o json

Exit code 1 when something is damaged or could not be checked.`;

/** `lateen repo check NAME` */
export function repoCheckCommand(context: CommandContext): Command {
  return new Command('check')
    .description('Check that a repository is whole: its structure, or also the data itself')
    .addArgument(completedArgument('<name>', 'name of the BackupRepository', repositoryNames))
    .option(
      '--read-data [percent]',
      'read so much of the stored data as well and compare it with its hashes (all: 100)',
    )
    .addOption(completedOption('-o, --output <format>', 'table, json or yaml', valueFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (name: string, flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const readDataPercent = parsePercent(flags.readData);
      const ports = await taskPorts(context, global);
      const repository = await repositoryNamed(ports.kube, global.namespace, name, context.signal);
      const found = repository.metadata.name ?? '';
      const { result, durationMs } = await runShown(context, ports, repository, {
        operation: 'check',
        readDataPercent,
      });
      const value = { repository: found, durationMs, ...result };
      context.stdout.write(printValue(format, checkLines(found, result, durationMs), value));
      if (result.problemCount === 0) return;
      throw new AppError('REPOSITORY_DAMAGED', `repository ${found} is damaged: ${result.problemCount} problems`, {
        nextStep:
          'Keep a copy of the bucket, then start backups into another location; restore what still can be read.',
      });
    });
}

/** @throws AppError BAD_FLAG */
function parsePercent(given: string | true | undefined): number {
  if (given === undefined) return 0;
  if (given === true) return 100;
  const percent = /^\d{1,3}%?$/.test(given) ? Number.parseInt(given, 10) : 0;
  if (percent >= 1 && percent <= 100) return percent;
  throw new AppError('BAD_FLAG', `--read-data ${JSON.stringify(given)} is not a percentage`, {
    nextStep: 'Write a whole number from 1 to 100, as in --read-data=10.',
  });
}
