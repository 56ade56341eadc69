import { spokenVersion } from '@lateen/api-types';
import { AppError, describeError, plainLine } from '@lateen/errors';
import { askServerStatus, whoIsBehind } from '@lateen/operations/server';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { parseValueFormat, printValue, valueFormats } from '../output/print-value.ts';
import { parseDuration } from '../parse-duration.ts';

interface Flags {
  clientOnly?: boolean;
  output: string;
  timeout: string;
}

/** What `-o json` and `-o yaml` print. */
interface Versions {
  client: { version: string; gitCommit?: string };
  /** Absent with --client-only. */
  server?: { version: string } | { error: string };
}

const examples = `
Examples:
  lateen version
  lateen version --client-only
  lateen version --timeout 30s
  lateen version -o json`;

/**
 * `lateen version`. Its lines, and that it always exits with 0, are Velero's (cli.md section 11): scripts depend on them.
 * @param ours release of this program, without a "v"
 */
export function versionCommand(context: CommandContext, ours: string): Command {
  return new Command('version')
    .description('Print the versions of this program and of the server')
    .option('--client-only', 'do not ask the server')
    .option('--timeout <duration>', 'how long to wait for the server', '5s')
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .addHelpText('after', examples)
    .action(async (flags: Flags, command: Command) => {
      const timeoutMs = parseDuration('--timeout', flags.timeout);
      const format = parseValueFormat(flags.output);
      const gitCommit = await context.commit?.();
      const client = { version: `${spokenVersion}+lateen.${ours}`, ...(gitCommit === undefined ? {} : { gitCommit }) };
      // Printed before the request to the server, which may take a while.
      if (format === 'table') context.stdout.write(clientLines(client));
      const versions: Versions = { client };
      if (flags.clientOnly !== true)
        versions.server = await serverVersion(context, command.optsWithGlobals<GlobalOptions>(), timeoutMs);
      context.stdout.write(format === 'table' ? serverLines(versions) : printValue(format, [], versions));
    });
}

/** Velero prints a dash when it does not know the commit. */
const clientLines = ({ version, gitCommit = '-' }: Versions['client']): string =>
  `Client:\n\tVersion: ${version}\n\tGit commit: ${gitCommit}\n`;

function serverLines({ client, server }: Versions): string {
  if (server === undefined) return '';
  if ('error' in server) return `<error getting server version: ${server.error}>\n`;
  const behind = whoIsBehind(client.version, server.version);
  const warning = `# WARNING: the client version does not match the server version. Please update ${behind}\n`;
  return `Server:\n\tVersion: ${server.version}\n${behind === undefined ? '' : warning}`;
}

async function serverVersion(
  context: CommandContext,
  global: GlobalOptions,
  timeoutMs: number,
): Promise<{ version: string } | { error: string }> {
  const { clock, signal } = context;
  try {
    const kube = await context.connect(global);
    const answer = await askServerStatus({ kube, clock }, global.namespace, { timeoutMs, signal });
    return { version: plainLine(answer.status?.serverVersion ?? '') };
  } catch (error) {
    if (signal.aborted) throw new AppError('INTERRUPTED', 'interrupted while waiting for the server', { cause: error });
    return { error: plainLine(describeError(error)) };
  }
}
