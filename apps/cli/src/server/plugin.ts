import type { PluginInfo } from '@lateen/api-types';
import { AppError, describeError, plainLine } from '@lateen/errors';
import { askServerStatus } from '@lateen/operations/server';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { examplesAs } from '../examples-as.ts';
import { plainTable } from '../output/plain-table.ts';
import { outputFormats, parseOutputFormat, printObjects } from '../output/print-object.ts';
import { parseDuration } from '../parse-duration.ts';
import { pluginAddCommand, pluginRemoveCommand } from './plugin-change.ts';

interface Flags {
  output: string;
  timeout: string;
}

const examples = `
Examples:
  lateen plugin get
  lateen plugin get --timeout 30s -o yaml`;

/** `lateen plugin …` */
export function pluginCommand(context: CommandContext): Command {
  return new Command('plugin')
    .description('List, add and remove plugins of the server')
    .addCommand(pluginGetCommand(context))
    .addCommand(pluginAddCommand(context))
    .addCommand(pluginRemoveCommand(context))
    .addHelpText(
      'after',
      '\nExamples:\n  lateen plugin get\n  lateen plugin add registry.example/velero-plugin-example:v1.2.0 --wait',
    );
}

/**
 * `lateen plugin get`. When the server does not answer, the command still succeeds, as in Velero (docs/reference/cli.md section
 * 11).
 */
export function pluginGetCommand(context: CommandContext, name = 'get'): Command {
  return new Command(name)
    .description('List the plugins that the server knows')
    .addOption(completedOption('-o, --output <format>', outputFormats.join(', '), outputFormats).default('table'))
    .option('--timeout <duration>', 'how long to wait for the server', '5s')
    .addHelpText('after', examplesAs(examples, 'plugin get', name))
    .action(async (flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseOutputFormat(flags.output);
      const timeoutMs = parseDuration('--timeout', flags.timeout);
      const { clock, signal, stdout } = context;
      try {
        const kube = await context.connect(global);
        const answer = await askServerStatus({ kube, clock }, global.namespace, { timeoutMs, signal });
        stdout.write(
          format === 'table'
            ? `${pluginTable(answer.status?.plugins ?? []).join('\n')}\n`
            : printObjects([answer], format, false),
        );
      } catch (error) {
        if (signal.aborted)
          throw new AppError('INTERRUPTED', 'interrupted while waiting for the server', { cause: error });
        stdout.write(`<error getting plugin information: ${plainLine(describeError(error))}>\n`);
      }
    });
}

function pluginTable(plugins: readonly PluginInfo[]): string[] {
  const sorted = plugins.toSorted((a, b) => compare(a.kind, b.kind) || compare(a.name, b.name));
  return plainTable(
    ['NAME', 'KIND'],
    sorted.map(({ name, kind }) => [plainLine(name), plainLine(kind)]),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
