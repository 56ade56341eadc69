import { findObject, findObjects, listOrNone } from '@lateen/operations/noun';
import { assignJob, recurringJobNoun, volumeNoun } from '@lateen/operations/storage';
import { recurringJobOfLabel, recurringJobType } from '@lateen/storage-types';
import { isForVolume } from '@lateen/volume-decisions';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { plainTable } from '../../output/plain-table.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { jobNames, volumeNames } from '../storage-names.ts';

/** `lateen storage volume recurring-job add|remove|list` */
export const storageVolumeRecurringJobCommand = (context: CommandContext): Command =>
  group(
    'recurring-job',
    'Choose the recurring jobs of a volume; one without any gets those of the group default',
    ['lateen storage volume recurring-job list pvc-1', 'lateen storage volume recurring-job add pvc-1 nightly'],
    [listCommand(context), assignCommand(context, 'add'), assignCommand(context, 'remove')],
  );

function assignCommand(context: CommandContext, verb: 'add' | 'remove'): Command {
  const about =
    verb === 'add' ? 'Add a job, or a group of jobs, to a volume' : 'Remove a job, or a group of jobs, from a volume';
  const command = new Command(verb)
    .description(about)
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames))
    .addArgument(completedArgument('<job>', 'name of the job or group', jobNames));
  return withBooleanFlag(command, '--group', 'it is a group')
    .addHelpText(
      'after',
      `\nExamples:\n  lateen storage volume recurring-job ${verb} pvc-1 nightly\n  lateen storage volume recurring-job ${verb} pvc-1 gold --group`,
    )
    .action(async (volume: string, name: string, flags: { group?: boolean }, self: Command) => {
      const isGroup = flags.group === true;
      const { signal, stdout } = context;
      const { kube, namespace } = await openStorage(context, self);
      if (!isGroup && verb === 'add') await findObject(kube, recurringJobNoun, { namespace, name }, signal);
      const changed = await assignJob({ kube, namespace, signal }, volume, { name, isGroup, assigned: verb === 'add' });
      const what = `${isGroup ? 'group' : 'job'} ${name}`;
      const is = verb === 'add' ? `takes part in ${what}` : `takes no part in ${what}`;
      stdout.write(`volume ${volume} ${is}${changed ? '' : ' already'}\n`);
    });
}

function listCommand(context: CommandContext): Command {
  return new Command('list')
    .description('List the jobs that are for a volume, and why')
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames))
    .addHelpText('after', '\nExamples:\n  lateen storage volume recurring-job list pvc-1')
    .action(async (name: string, _: object, self: Command) => {
      const { signal, stdout } = context;
      const { kube, namespace } = await openStorage(context, self);
      const [volume] = await findObjects(kube, volumeNoun, namespace, { names: [name] }, signal);
      const labels = volume?.metadata.labels ?? {};
      const jobs = (await listOrNone(kube, recurringJobType, { namespace, signal })).filter((job) =>
        isForVolume(job, { labels }),
      );
      const assigned = Object.keys(labels)
        .map(recurringJobOfLabel)
        .filter((each) => each !== undefined);
      const why = (job: string, groups: readonly string[]) => {
        if (assigned.length === 0) return 'group default';
        if (assigned.some((each) => 'job' in each && each.job === job)) return 'the job itself';
        return `group ${assigned.flatMap((each) => ('group' in each && groups.includes(each.group) ? [each.group] : [])).join(', ')}`;
      };
      const rows = jobs.map(({ metadata, spec }) => [
        metadata.name ?? '',
        spec.task ?? '',
        spec.cron ?? '',
        String(spec.retain ?? ''),
        why(metadata.name ?? '', spec.groups ?? []),
      ]);
      const lines =
        rows.length === 0
          ? [`No job is for volume ${name}.`]
          : plainTable(['JOB', 'TASK', 'CRON', 'RETAIN', 'BY'], rows);
      stdout.write(`${lines.join('\n')}\n`);
    });
}
