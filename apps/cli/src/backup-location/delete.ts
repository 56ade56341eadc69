import type { BackupStorageLocation } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  type Associated,
  deleteLocation,
  findAssociated,
  findLocations,
  locationNoun,
} from '@lateen/operations/backup-location';
import { selectionToChange } from '@lateen/operations/noun';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { locationNames } from '../completion/object-names.ts';

interface Flags {
  all?: boolean;
  selector?: string;
  confirm?: boolean;
}

const examples = `
Examples:
  lateen backup-location delete old
  lateen backup-location delete old older --confirm
  lateen backup-location delete --selector region=eu
  lateen backup-location delete --all`;

/** `lateen backup-location delete [NAME…]` (cli.md section 6) */
export function backupLocationDeleteCommand(context: CommandContext, name = 'delete'): Command {
  const command = new Command(name)
    .description(
      'Delete backup storage locations with their Backups and repositories here; the buckets stay as they are',
    )
    .addArgument(completedArgument('[name...]', 'names', locationNames))
    .option('-l, --selector <labels>', 'all with these labels');
  withBooleanFlag(command, '--all', 'all locations');
  return withBooleanFlag(command, '--confirm', 'do not ask')
    .addHelpText(
      'after',
      examples.replaceAll('backup-location delete', name === 'delete' ? `backup-location ${name}` : `delete ${name}`),
    )
    .action(async (words: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(locationNoun, { names: words, ...flags });
      if (flags.confirm !== true && context.ask === undefined)
        throw new AppError('BAD_FLAG', 'nobody can be asked whether to delete', {
          nextStep: 'Give --confirm where there is no terminal.',
        });
      const kube = await context.connect(global);
      const locations = await findLocations(kube, global.namespace, selection, context.signal);
      if (locations.length === 0) {
        context.stdout.write('No backup-locations found\n');
        return;
      }
      if (flags.confirm === true || (await isAgreed(kube, locations, context)))
        await deleteAll(kube, locations, context);
      else context.stderr.write('Nothing was deleted.\n');
    });
}

/** Shows first what would go. */
async function isAgreed(
  kube: KubeApi,
  locations: readonly BackupStorageLocation[],
  { ask, stderr, signal }: CommandContext,
): Promise<boolean> {
  for (const location of locations) {
    const found = await findAssociated(kube, location, signal);
    const { default: isDefault } = location.spec;
    const what = `${location.metadata.name}${isDefault === true ? ' (the default)' : ''}, with ${countOf(found)}`;
    stderr.write(`${what}; what is in the bucket stays\n`);
  }
  const answer = await ask?.('Are you sure you want to continue (Y/N)? ');
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

/** One that cannot be deleted does not keep the others; all errors are told in the end. */
async function deleteAll(
  kube: KubeApi,
  locations: readonly BackupStorageLocation[],
  { stdout, stderr, signal }: CommandContext,
): Promise<void> {
  const errors: unknown[] = [];
  for (const location of locations) {
    const { name } = location.metadata;
    try {
      const deleted = await deleteLocation(kube, location, signal);
      stdout.write(`Backup storage location "${name}" deleted successfully.\n`);
      stdout.write(`Deleted with it: ${counts(deleted.backups, deleted.repositories)}.\n`);
      if (location.spec.default === true) stderr.write('WARNING: the default location is deleted\n');
    } catch (error) {
      // Either the interruption itself or what it left undone.
      if (signal.aborted) throw error;
      errors.push(error);
    }
  }
  const [first] = errors;
  if (errors.length > 1) throw new AppError('NOT_DELETED', `[${errors.map(describeError).join(', ')}]`);
  if (first !== undefined) throw first;
}

const countOf = ({ backups, repositories }: Associated): string => counts(backups.length, repositories.length);

const counts = (backups: number, repositories: number): string =>
  `${backups} ${backups === 1 ? 'Backup' : 'Backups'} and ${repositories} ${repositories === 1 ? 'BackupRepository' : 'BackupRepositories'}`;
