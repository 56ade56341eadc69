import {
  type BackupStorageLocationAccessMode,
  backupStorageLocationType,
  type SecretKeySelector,
} from '@lateen/api-types';
import {
  checkDefaultCanMove,
  findLocations,
  makeDefault,
  parseLocationName,
  validationRequest,
} from '@lateen/operations/backup-location';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { locationNames } from '../completion/object-names.ts';
import { changedLocation, checkChange } from './changed-location.ts';
import { reportDefault } from './create.ts';
import { withUseFlags } from './location-flags.ts';
import { customerKeySelector, defaultWarnings, rateWarnings, secretWarnings } from './location-warnings.ts';
import type { UseFlags } from './new-location.ts';
import { reportValidation } from './wait-validated.ts';

const examples = `
Examples:
  lateen backup-location set offsite --default
  lateen backup-location set offsite --default=false
  lateen backup-location set minio --cacert new-ca.pem --credential minio-2=cloud
  lateen backup-location set minio --cacert ''          # trust no CA of its own any more
  lateen backup-location set archive --access-mode ReadOnly
  lateen backup-location set minio --config region=eu-1 --wait   # and say whether it can be used now
  lateen backup-location set minio --wait                        # the same, with nothing changed
  lateen backup-location set offsite --upload-limit 20Mi --download-limit 0   # 0: no limit any more
  lateen backup-location set minio --config s3Url=https://new.example:9000,profile=   # "profile" is removed`;

/** `lateen backup-location set NAME` (cli.md section 10). Unlike Velero's, it does not change fields that are not named. */
export function backupLocationSetCommand(context: CommandContext): Command {
  const command = withUseFlags(
    new Command('set')
      .description('Change a backup storage location; what is not named stays as it is')
      .addArgument(completedArgument('<name>', 'name of the location', locationNames)),
  );
  withBooleanFlag(command, '--default', 'make it the default, or with =false no longer');
  return withBooleanFlag(command, '--wait', 'validate it now, changed or not, and print the result')
    .addHelpText('after', examples)
    .action(async (text: string, flags: UseFlags & { wait?: boolean }, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const name = parseLocationName(text);
      const patch = await changedLocation(flags);
      const { spec, annotations } = patch;
      const { signal, clock, stderr, stdout } = context;
      const kube = await context.connect(global);
      const place = { namespace: global.namespace, name };
      const [before] = await findLocations(kube, global.namespace, { names: [name] }, signal);
      if (before !== undefined) checkChange(before, patch);
      const storage = spec.objectStorage as { caCertRef?: SecretKeySelector | null } | undefined;
      const secrets = [
        spec.credential as SecretKeySelector | undefined,
        storage?.caCertRef ?? undefined,
        customerKeySelector(spec.config as Record<string, unknown> | undefined),
      ];
      const accessMode = (spec.accessMode as BackupStorageLocationAccessMode | undefined) ?? before?.spec.accessMode;
      const warnings = [
        ...(flags.default === true ? defaultWarnings({ name, accessMode, status: before?.status }) : []),
        ...rateWarnings(annotations),
        ...(await secretWarnings(kube, global.namespace, secrets, signal)),
      ];
      for (const warning of warnings) stderr.write(`WARNING: ${warning}\n`);
      if (flags.default === true) await checkDefaultCanMove(kube, place, signal);
      const isSet = flags.default !== undefined || Object.keys({ ...spec, ...annotations }).length > 0;
      const marks = { ...annotations, ...(flags.wait === true ? validationRequest(context) : {}) };
      const body = {
        ...(Object.keys(marks).length === 0 ? {} : { metadata: { annotations: marks } }),
        ...(Object.keys(spec).length === 0 ? {} : { spec }),
      };
      const changed =
        Object.keys(body).length > 0
          ? await kube.patch(backupStorageLocationType, place, { type: 'merge', body }, { signal })
          : before;
      if (flags.default === true) reportDefault(name, await makeDefault({ kube, clock }, place, signal));
      if (flags.default === false && before?.spec.default === true)
        stderr.write(
          'WARNING: no location is the default now; unless the server chooses one, backups that name none will fail\n',
        );
      if (isSet) stdout.write(`Backup storage location "${name}" configured successfully.\n`);
      if (flags.wait === true && changed !== undefined) await reportValidation({ ...context, kube }, changed, signal);
    });
}
