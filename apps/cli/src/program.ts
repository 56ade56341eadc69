import { productVersion } from '@lateen/api-types';
import { Command } from 'commander';
import { backupCommand } from './backup/backup.ts';
import { backupLocationCommand } from './backup-location/backup-location.ts';
import { acceptBooleanValues } from './boolean-flag.ts';
import { clientCommand } from './client/client.ts';
import type { CommandContext } from './command-context.ts';
import { completionCommand } from './completion/completion-command.ts';
import { debugCommand } from './debug/debug.ts';
import { addGlobalFlags, environmentOf } from './global-flags.ts';
import { installCommand } from './install/install.ts';
import { repoCommand } from './repo/repo.ts';
import { restoreCommand } from './restore/restore.ts';
import { scheduleCommand } from './schedule/schedule.ts';
import { pluginCommand } from './server/plugin.ts';
import { versionCommand } from './server/version.ts';
import { snapshotLocationCommand } from './snapshot-location/snapshot-location.ts';
import { storageCommand } from './storage/storage.ts';
import { uninstallCommand } from './uninstall/uninstall.ts';
import { verbFirstCommands } from './verb-first.ts';
import { volumeCancelCommand } from './volume/cancel.ts';
import { volumeDescribeCommand } from './volume/describe.ts';
import { volumeDownloadCommand } from './volume/download.ts';
import { volumeListCommand } from './volume/list.ts';
import { volumeUploadCommand } from './volume/upload.ts';
import { volumeVerifyCommand } from './volume/verify.ts';

export const version = productVersion;

const examples = `
Examples:
  lateen install --provider aws --bucket backups --secret-file ./credentials --backup-location-config region=eu-central-1 --wait
  lateen backup-location get
  lateen backup create before-upgrade --wait
  lateen restore create --from-backup before-upgrade --wait
  lateen schedule create nightly --schedule '0 1 * * *'
  lateen volume upload shop/data
  lateen volume list --watch
  lateen volume download restored/data --from data-x7k2p

See "lateen COMMAND --help" for each command, and "lateen completion --help" for completion in a shell.`;

const volumeExamples = `
Examples:
  lateen volume upload shop/data
  lateen volume list --running --watch
  lateen volume download restored/data --from data-x7k2p`;

/** The whole command tree. Nothing connects or starts before a command runs. */
export function buildProgram(context: CommandContext, given: Readonly<Record<string, string | undefined>>): Command {
  const program = new Command('lateen')
    .description('Backup, restore and volume data movement for Kubernetes')
    .version(version)
    .addHelpText('after', examples)
    .showHelpAfterError('See lateen --help.');
  addGlobalFlags(program, given);
  const env = environmentOf(program, given);
  program.addCommand(
    new Command('volume')
      .description('Move single volumes to and from object storage')
      .addCommand(volumeUploadCommand(context))
      .addCommand(volumeDownloadCommand(context))
      .addCommand(volumeListCommand(context, env))
      .addCommand(volumeDescribeCommand(context, env))
      .addCommand(volumeVerifyCommand(context, env))
      .addCommand(volumeCancelCommand(context))
      .addHelpText('after', volumeExamples),
  );
  program.addCommand(installCommand(context));
  program.addCommand(uninstallCommand(context));
  program.addCommand(backupLocationCommand(context));
  for (const each of verbFirstCommands(context, env)) program.addCommand(each);
  program.addCommand(backupCommand(context, env));
  program.addCommand(restoreCommand(context, env));
  program.addCommand(scheduleCommand(context));
  program.addCommand(snapshotLocationCommand(context));
  program.addCommand(repoCommand(context));
  program.addCommand(storageCommand(context));
  program.addCommand(pluginCommand(context));
  program.addCommand(clientCommand(context, env));
  program.addCommand(debugCommand(context, env));
  program.addCommand(versionCommand(context, version));
  program.addCommand(completionCommand(context.stdout));
  passThrough(program, context);
  return program;
}

/**
 * Errors reach runProgram, which sets the exit code, and all text goes to the given outputs; sub-commands do not inherit these
 * settings.
 */
function passThrough(command: Command, context: CommandContext): void {
  const { stdout, stderr } = context;
  acceptBooleanValues(command);
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  for (const each of command.commands) passThrough(each, context);
}
