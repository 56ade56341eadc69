import { defaultNamespace, productVersion } from '@lateen/api-types';
import { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { completionCommand } from './commands/completion.ts';
import { pluginCommand } from './commands/plugin-get.ts';
import { repoCommand } from './commands/repo.ts';
import { versionCommand } from './commands/version.ts';
import { volumeCancelCommand } from './commands/volume-cancel.ts';
import { volumeDescribeCommand } from './commands/volume-describe.ts';
import { volumeDownloadCommand } from './commands/volume-download.ts';
import { volumeListCommand } from './commands/volume-list.ts';
import { volumeUploadCommand } from './commands/volume-upload.ts';

export const version = productVersion;

/** The whole command tree. Nothing connects or starts before a command runs. */
export function buildProgram(context: CommandContext, env: Readonly<Record<string, string | undefined>>): Command {
  const program = new Command('lateen')
    .description('Backup, restore and volume data movement for Kubernetes')
    .version(version)
    .option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG, then ~/.kube/config, then in-cluster)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace that Lateen runs in', env.VELERO_NAMESPACE ?? defaultNamespace)
    .showHelpAfterError('See lateen --help.');
  program.addCommand(
    new Command('volume')
      .description('Move single volumes to and from object storage')
      .addCommand(volumeUploadCommand(context))
      .addCommand(volumeDownloadCommand(context))
      .addCommand(volumeListCommand(context, env))
      .addCommand(volumeDescribeCommand(context, env))
      .addCommand(volumeCancelCommand(context)),
  );
  program.addCommand(repoCommand(context));
  program.addCommand(pluginCommand(context));
  program.addCommand(versionCommand(context, version));
  program.addCommand(completionCommand(context.stdout, () => program));
  throwInsteadOfExit(program);
  return program;
}

/** Errors reach main.ts, which closes connections and picks the exit code; sub-commands do not inherit these settings. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride().configureHelp({ showGlobalOptions: true });
  for (const each of command.commands) throwInsteadOfExit(each);
}
