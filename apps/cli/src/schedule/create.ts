import { type Schedule, scheduleType } from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import { checkLocations } from '@lateen/operations/backup';
import { parseObjectName } from '@lateen/operations/noun';
import { newSchedule, scheduleNoun } from '@lateen/operations/schedule';
import { jitterOf, validateSchedule } from '@lateen/schedule';
import { Command } from 'commander';
import { readSpec } from '../backup/spec/read-spec.ts';
import { type SpecFlags, withSpecFlags } from '../backup/spec/spec-flags.ts';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { examplesAs } from '../examples-as.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import { parseAnnotations, parseLabels } from '../parse-labels.ts';
import { parsePeriod } from '../parse-period.ts';
import { badFlag } from '../refuse-flag.ts';
import { scheduleColumns } from './schedule-columns.ts';

interface Flags extends SpecFlags, Partial<ListFlags> {
  schedule?: string;
  useOwnerReferencesInBackup?: boolean;
  paused?: boolean;
  skipImmediately?: boolean;
  keepAtLeast?: string;
  jitter?: string;
}

const examples = `
Examples:
  lateen schedule create nightly --schedule '0 1 * * *'
  lateen schedule create shop --schedule 'CRON_TZ=Europe/Berlin 30 2 * * *' --include-namespaces shop --ttl 168h
  lateen schedule create often --schedule '@every 6h' --keep-at-least 3 --jitter 20m --skip-immediately
  lateen schedule create nightly --schedule @daily -o yaml > schedule.yaml`;

/** `lateen schedule create NAME` (cli.md section 5) */
export function scheduleCreateCommand(context: CommandContext, name = 'create'): Command {
  const command = new Command(name)
    .description('Create a schedule, which creates backups at set times')
    .argument('<name>', 'name of the schedule; its backups are named after it, with their time')
    .option('--schedule <expression>', "cron expression, '@every DURATION', or such as @daily; required")
    .option('--keep-at-least <count>', 'number of its completed backups that are kept whatever their TTL')
    .option('--jitter <duration>', 'delay its runs by a fixed part of this time, which differs between schedules');
  withListFlags(withSpecFlags(command), { creates: true });
  withBooleanFlag(command, '--use-owner-references-in-backup', 'its backups are deleted with it');
  withBooleanFlag(command, '--paused', 'create it paused: it makes no backups until it is unpaused');
  return withBooleanFlag(
    command,
    '--skip-immediately',
    'skip a backup that is due at once (default: as the server does)',
  )
    .addHelpText('after', examplesAs(examples, 'schedule create', name))
    .action(async (text: string, flags: Flags, self: Command) => {
      const { namespace, ...global } = self.optsWithGlobals<GlobalOptions>();
      const { clock, signal, stdout } = context;
      const schedule = scheduleOf(text, namespace, flags);
      checkSchedule(schedule, clock.now());
      const { output } = flags;
      const print = listPrinter(scheduleColumns(clock.now()), { ...flags, output: output ?? 'table' });
      if (output !== undefined) {
        stdout.write(print([schedule], { asList: false }));
        return;
      }
      const kube = await context.connect({ ...global, namespace });
      await checkLocations(kube, namespace, schedule.spec.template, signal);
      const { metadata } = await kube.create(scheduleType, schedule, { signal });
      stdout.write(`Schedule "${metadata.name}" created successfully.\n`);
    });
}

/** @throws AppError BAD_FLAG, BAD_ARGUMENT */
function scheduleOf(text: string, namespace: string, flags: Flags): Schedule {
  if (flags.schedule === undefined || flags.schedule.trim() === '') throw badFlag('--schedule is required');
  return newSchedule({
    name: parseObjectName(scheduleNoun, text),
    namespace,
    labels: flags.labels === undefined ? undefined : parseLabels(flags.labels),
    annotations: flags.annotations === undefined ? undefined : parseAnnotations(flags.annotations),
    schedule: flags.schedule,
    template: readSpec(flags),
    useOwnerReferencesInBackup: flags.useOwnerReferencesInBackup === true,
    paused: flags.paused === true,
    skipImmediately: flags.skipImmediately,
    keepAtLeast: flags.keepAtLeast === undefined ? undefined : parseCount(flags.keepAtLeast),
    jitter: flags.jitter === undefined ? undefined : parsePeriod('--jitter', flags.jitter),
  });
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw badFlag(`--keep-at-least ${quoted(text)} is not a number of backups`, 'Write a number from 1.');
  return Number(text);
}

/** Checks with the server's own rules: a schedule that the server would refuse is not created. @throws AppError BAD_FLAG */
function checkSchedule(schedule: Schedule, nowMs: number): void {
  const [error] = validateSchedule(schedule, nowMs).errors;
  if (error !== undefined) throw badFlag(error);
  if (jitterOf(schedule).warning !== undefined)
    throw badFlag(
      '--jitter is longer than a day',
      'A longer jitter would move backups to another day; write at most 24h.',
    );
}
