import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { checkDefaultCanMove, makeDefault, providerNames, validationRequest } from '@lateen/operations/backup-location';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import { collectPairs } from '../collect-pairs.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { badFlag } from '../refuse-flag.ts';
import { locationColumns } from './location-columns.ts';
import { withUseFlags } from './location-flags.ts';
import { customerKeySelector, secretWarnings, specWarnings } from './location-warnings.ts';
import { type CreateFlags, newLocation } from './new-location.ts';
import { reportValidation } from './wait-validated.ts';

type Flags = CreateFlags & Partial<ListFlags> & { wait?: boolean };

const examples = `
Examples:
  lateen backup-location create offsite --provider aws --bucket backups --config region=eu-west-1 --wait
  lateen backup-location create minio --provider aws --bucket velero --prefix prod --credential minio=cloud \\
    --config region=minio,s3Url=https://minio.example:9000,s3ForcePathStyle=true --cacert ca.pem
  lateen backup-location create archive --provider gcp --bucket old --access-mode ReadOnly
  lateen backup-location create branch --provider aws --bucket branch --upload-limit 5Mi
  lateen backup-location create main --provider azure --bucket backups --default
  lateen backup-location create main --provider aws --bucket backups -o yaml > location.yaml`;

/** `lateen backup-location create NAME` (cli.md section 10) */
export function backupLocationCreateCommand(context: CommandContext, name = 'create'): Command {
  const command = new Command(name)
    .description('Create a backup storage location')
    .argument('<name>', 'name of the location')
    .addOption(
      completedOption(
        '--provider <name>',
        'aws (anything that speaks S3), azure, gcp or velero.io/fs; required',
        providerNames,
      ),
    )
    .option('--bucket <name>', 'bucket or container that backups are kept in; required')
    .option('--prefix <path>', 'path inside the bucket that everything is kept under')
    .option('--labels <key=value,…>', 'labels of the location', collectPairs);
  withUseFlags(command, { creates: true });
  withListFlags(command, { creates: true });
  withBooleanFlag(command, '--default', 'make it the default location, in place of the present one');
  return withBooleanFlag(command, '--wait', 'wait for the first validation and print its result')
    .addHelpText(
      'after',
      examples.replaceAll('backup-location create', name === 'create' ? `backup-location ${name}` : `create ${name}`),
    )
    .action(async (text: string, flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const location = await newLocation(text, global.namespace, flags);
      const { output } = flags;
      if (output !== undefined && flags.wait === true)
        throw badFlag('--wait cannot be given with --output, which only prints the location');
      const print = listPrinter(locationColumns, { ...flags, output: output ?? 'table' });
      for (const warning of specWarnings(location)) context.stderr.write(`WARNING: ${warning}\n`);
      if (output !== undefined) {
        context.stdout.write(print([location], { asList: false }));
        return;
      }
      const { signal, stdout, clock } = context;
      const kube = await context.connect(global);
      const { credential, objectStorage, config } = location.spec;
      const secrets = [credential, objectStorage.caCertRef, customerKeySelector(config)];
      for (const warning of await secretWarnings(kube, global.namespace, secrets, signal))
        context.stderr.write(`WARNING: ${warning}\n`);
      const place = { namespace: global.namespace, name: location.metadata.name ?? '' };
      if (flags.default === true) await checkDefaultCanMove(kube, place, signal);
      const asked = flags.wait === true ? withAnnotations(location, validationRequest(context)) : location;
      const created = await kube.create(backupStorageLocationType, asked, { signal });
      if (flags.default === true) reportDefault(place.name, await makeDefault({ kube, clock }, place, signal));
      stdout.write(`Backup storage location "${place.name}" configured successfully.\n`);
      if (flags.wait === true) await reportValidation({ ...context, kube }, created, signal);
    });
}

const withAnnotations = (location: BackupStorageLocation, more: Record<string, string>): BackupStorageLocation => ({
  ...location,
  metadata: { ...location.metadata, annotations: { ...location.metadata.annotations, ...more } },
});

/** @throws AppError DEFAULT_TAKEN when another location became the default meanwhile */
export function reportDefault(wanted: string, found: string): void {
  if (wanted === found) return;
  throw new AppError(
    'DEFAULT_TAKEN',
    `backup storage location "${wanted}" is configured, but somebody else made "${found}" the default at the same time`,
    { nextStep: `Choose one, then: lateen backup-location set ${wanted} --default` },
  );
}
