import { spokenVersion } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { plainLine } from '../output/plain-line.ts';
import { parseDuration } from '../parse-duration.ts';
import { whoIsBehind } from '../server/compare-versions.ts';
import { askServerStatus } from '../server/server-status.ts';

interface Flags {
  clientOnly?: boolean;
  timeout: string;
}

const examples = `
Examples:
  lateen version
  lateen version --client-only
  lateen version --timeout 30s`;

/**
 * `lateen version`. Its lines and that it always ends well are the reference's (cli.md section 11): scripts read them.
 * @param ours release of this program, without a "v"
 */
export function versionCommand(context: CommandContext, ours: string): Command {
  return new Command('version')
    .description('Print the versions of this program and of the server')
    .option('--client-only', 'do not ask the server')
    .option('--timeout <duration>', 'how long to wait for the server', '5s')
    .addHelpText('after', examples)
    .action(async (flags: Flags, command: Command) => {
      const timeoutMs = parseDuration('--timeout', flags.timeout);
      const client = `${spokenVersion}+lateen.${ours}`;
      const say = (line: string) => context.stdout.write(`${line}\n`);
      say('Client:');
      say(`\tVersion: ${client}`);
      // The reference prints a dash where it knows none.
      say(`\tGit commit: ${(await context.commit?.()) ?? '-'}`);
      if (flags.clientOnly === true) return;
      const server = await serverVersion(context, command.optsWithGlobals<GlobalOptions>(), timeoutMs);
      if ('error' in server) {
        say(`<error getting server version: ${server.error}>`);
        return;
      }
      say('Server:');
      say(`\tVersion: ${server.version}`);
      const behind = whoIsBehind(client, server.version);
      if (behind !== undefined)
        say(`# WARNING: the client version does not match the server version. Please update ${behind}`);
    });
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
