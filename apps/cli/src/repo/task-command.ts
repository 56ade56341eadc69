import type { RepositoryTask } from '@lateen/maintenance';
import { type ResultOf, repositoryNamed } from '@lateen/operations/repository';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { parseValueFormat, printValue, valueFormats } from '../output/print-value.ts';
import { runShown } from './run-shown.ts';
import { taskPorts } from './task-ports.ts';

/** The parts that differ between these commands. */
export interface RepositoryTaskOptions<F, T extends RepositoryTask> {
  description: string;
  examples: string;
  /** Reads the flags, before any request to the cluster. @throws AppError BAD_FLAG */
  task(flags: F): T;
  /** The result as text. */
  lines(repository: string, result: ResultOf<T>, durationMs: number): string[];
  /** Runs after the result is printed, and throws when the result is a failure. @throws AppError */
  judge?(repository: string, result: ResultOf<T>): void;
}

/** `lateen repo VERB NAME`: runs one task on one repository and prints its result. The caller adds further flags. */
export function repositoryTaskCommand<F extends object, T extends RepositoryTask>(
  context: CommandContext,
  verb: string,
  { description, examples, task, lines, judge }: RepositoryTaskOptions<F, T>,
): Command {
  return new Command(verb)
    .description(description)
    .addArgument(completedArgument('<name>', 'name of the BackupRepository', repositoryNames))
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (name: string, flags: F & { output: string }, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const wanted = task(flags);
      const ports = await taskPorts(context, global);
      const repository = await repositoryNamed(ports.kube, global.namespace, name, context.signal);
      const found = repository.metadata.name ?? '';
      const { result, durationMs } = await runShown(context, ports, repository, wanted);
      const value = { repository: found, durationMs, ...result };
      context.stdout.write(printValue(format, lines(found, result, durationMs), value));
      judge?.(found, result);
    });
}
