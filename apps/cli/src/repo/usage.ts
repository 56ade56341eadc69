import type { BackupRepository } from '@lateen/api-types';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { findRepositories, repositorySelection, type TaskPorts } from '@lateen/operations/repository';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { parseValueFormat, printValue, valueFormats } from '../output/print-value.ts';
import { runShown } from './run-shown.ts';
import { taskPorts } from './task-ports.ts';
import { type UsageOf, type UsageSortKey, usageSortKeys, usageTable, usageTotals } from './usage-table.ts';

interface Flags {
  output: string;
  selector?: string;
  sortBy: string;
}

const examples = `
Examples:
  lateen repo usage
  lateen repo usage shop-default-kopia --sort-by unique
  lateen repo usage -l velero.io/storage-location=offsite -o json

UNIQUE is what deleting the snapshots of this volume would free, SHARED what other volumes of the repository need as well
(the total counts it once), RECLAIMABLE what no snapshot needs and maintenance deletes. All as stored: compressed.`;

/** `lateen repo usage [NAME…]` */
export function repoUsageCommand(context: CommandContext): Command {
  return new Command('usage')
    .description('Show how much space volumes use in the bucket: exclusive, shared with other volumes, and reclaimable')
    .addArgument(completedArgument('[name...]', 'names of BackupRepositories (default: all)', repositoryNames))
    .option('-l, --selector <labels>', 'only those with these labels')
    .addOption(completedOption('--sort-by <key>', usageSortKeys.join(', '), usageSortKeys).default('name'))
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (names: string[], flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const sortBy = parseSortKey(flags.sortBy);
      const selection = repositorySelection(names, flags);
      const ports = await taskPorts(context, global);
      const repositories = await findRepositories(ports.kube, global.namespace, selection, context.signal);
      const { usages, failed } = await usageOfEach(context, ports, repositories);
      const value = {
        repositories: usages.map(({ repository, usage }) => ({ repository, ...usage })),
        totals: usageTotals(usages),
      };
      // When every repository failed, no empty result is printed.
      if (usages.length > 0 || failed.length === 0)
        context.stdout.write(printValue(format, usageTable(usages, sortBy), value));
      throwFailures(failed, repositories.length);
    });
}

/** One after the other: each task reads all indexes of a repository, and must not load the cluster. */
async function usageOfEach(context: CommandContext, ports: TaskPorts, repositories: readonly BackupRepository[]) {
  const usages: UsageOf[] = [];
  const failed: unknown[] = [];
  for (const each of repositories) {
    const repository = each.metadata.name ?? '';
    try {
      usages.push({ repository, usage: (await runShown(context, ports, each, { operation: 'usage' })).result });
    } catch (error) {
      // Without permissions, or after Ctrl-C, the next ones would fail as well.
      if (context.signal.aborted || isForAll(error)) throw error;
      if (repositories.length > 1) context.stderr.write(`${repository}: ${describeError(error)}\n`);
      failed.push(error);
    }
  }
  return { usages, failed };
}

const isForAll = (error: unknown): boolean =>
  isAppError(error) && ['KUBE_FORBIDDEN', 'KUBE_UNAUTHORIZED', 'CONTROLLER_NOT_FOUND'].includes(error.code);

function throwFailures(failed: readonly unknown[], of: number): void {
  if (failed.length === 0) return;
  if (of === 1) throw failed[0];
  throw new AppError('USAGE_INCOMPLETE', `${failed.length} of ${of} repositories could not be read`, {
    nextStep: 'The errors above say what is wrong with each.',
  });
}

function parseSortKey(text: string): UsageSortKey {
  const found = usageSortKeys.find((key) => key === text);
  if (found !== undefined) return found;
  throw new AppError('BAD_FLAG', `--sort-by "${text}" is not known`, {
    nextStep: `Use one of ${usageSortKeys.join(', ')}.`,
  });
}
