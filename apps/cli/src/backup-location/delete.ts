import type { BackupStorageLocation } from '@lateen/api-types';
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
import { agreesToDelete, type DeleteFlags, eachOf, requireSomebodyToAsk, withDeleteFlags } from '../agree-to-delete.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { locationNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';

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
    .addArgument(completedArgument('[name...]', 'names', locationNames));
  return withDeleteFlags(command, 'locations')
    .addHelpText('after', examplesAs(examples, 'backup-location delete', name))
    .action(async (words: string[], flags: DeleteFlags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const selection = selectionToChange(locationNoun, { names: words, ...flags });
      requireSomebodyToAsk(context, flags);
      const kube = await context.connect(global);
      const locations = await findLocations(kube, global.namespace, selection, context.signal);
      if (locations.length === 0) {
        context.stdout.write('No backup-locations found\n');
        return;
      }
      const wouldGo = () => Promise.all(locations.map((each) => described(kube, each, context.signal)));
      if (await agreesToDelete(context, flags, wouldGo))
        await eachOf(locations, context.signal, (location) => deleteOne(kube, location, context));
    });
}

/** What would be deleted with the location. */
async function described(kube: KubeApi, location: BackupStorageLocation, signal: AbortSignal): Promise<string> {
  const found = await findAssociated(kube, location, signal);
  const mark = location.spec.default === true ? ' (the default)' : '';
  return `${location.metadata.name}${mark}, with ${countOf(found)}; what is in the bucket stays`;
}

async function deleteOne(
  kube: KubeApi,
  location: BackupStorageLocation,
  { stdout, stderr, signal }: CommandContext,
): Promise<void> {
  const deleted = await deleteLocation(kube, location, signal);
  stdout.write(`Backup storage location "${location.metadata.name}" deleted successfully.\n`);
  stdout.write(`Deleted with it: ${counts(deleted.backups, deleted.repositories)}.\n`);
  if (location.spec.default === true) stderr.write('WARNING: the default location is deleted\n');
}

const countOf = ({ backups, repositories }: Associated): string => counts(backups.length, repositories.length);

const counts = (backups: number, repositories: number): string =>
  `${backups} ${backups === 1 ? 'Backup' : 'Backups'} and ${repositories} ${repositories === 1 ? 'BackupRepository' : 'BackupRepositories'}`;
