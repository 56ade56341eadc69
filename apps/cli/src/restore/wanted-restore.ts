import type { Restore } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { backupNoun } from '@lateen/operations/backup';
import { parseObjectName } from '@lateen/operations/noun';
import { annotationsOfWishes, newRestore, restoreName, restoreNoun, sourceOf } from '@lateen/operations/restore';
import { scheduleNoun } from '@lateen/operations/schedule';
import type { CommandContext } from '../command-context.ts';
import { parseAnnotations, parseLabels } from '../parse-labels.ts';
import { given } from '../parse-spec.ts';
import { badFlag } from '../refuse-flag.ts';
import { readRestoreSpec } from './spec/read-spec.ts';
import { readVolumeWishes } from './spec/read-volume-wishes.ts';
import type { RestoreFlags } from './spec/spec-flags.ts';

/**
 * Creates the object, when there is a cluster in which to look up the backup. @throws AppError BACKUP_NOT_FOUND,
 * NO_BACKUP_OF_SCHEDULE
 */
export type MakeRestore = (connect: () => Promise<KubeApi>) => Promise<Restore>;

/** Reads all flags before any request to the cluster. @throws AppError BAD_FLAG, BAD_ARGUMENT */
export function wantedRestore(
  text: string | undefined,
  namespace: string,
  flags: RestoreFlags,
  { clock, signal, stderr }: CommandContext,
): MakeRestore {
  const { fromBackup, fromSchedule, allowPartiallyFailed } = flags;
  if ((fromBackup === undefined) === (fromSchedule === undefined))
    throw badFlag(
      'either a backup or schedule must be specified, but not both',
      'Give --from-backup or --from-schedule.',
    );
  if (allowPartiallyFailed === true && fromSchedule === undefined)
    throw badFlag('--allow-partially-failed chooses among the backups of a schedule, which needs --from-schedule');
  const backup = given(fromBackup, (name) => parseObjectName(backupNoun, name));
  const schedule = given(fromSchedule, (name) => parseObjectName(scheduleNoun, name));
  const name = parseObjectName(restoreNoun, text ?? restoreName(backup ?? schedule ?? '', clock.now()));
  const labels = given(flags.labels, parseLabels);
  const spec = readRestoreSpec(flags);
  const wishes = annotationsOfWishes(readVolumeWishes(flags, spec));
  const all = { ...given(flags.annotations, parseAnnotations), ...wishes };
  const annotations = Object.keys(all).length === 0 ? undefined : all;
  if (flags.statusExcludeResources !== undefined && flags.statusIncludeResources === undefined)
    stderr.write('--status-exclude-resources has no effect without --status-include-resources.\n');
  return async (connect) => {
    const source = await sourceOf(await connect(), namespace, { backup, schedule, allowPartiallyFailed }, signal);
    return newRestore({ name, namespace, labels, annotations, spec: { ...source, ...spec } });
  };
}
