import { type Backup, annotations as marks, type Schedule } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { backupNoun, createBackup, followBackup, newBackup } from '@lateen/operations/backup';
import { findObject, parseObjectName } from '@lateen/operations/noun';
import { scheduleNoun } from '@lateen/operations/schedule';
import { backupName, scheduleBackup } from '@lateen/schedule';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { scheduleNames } from '../completion/object-names.ts';
import { examplesAs } from '../examples-as.ts';
import { parseAnnotations, parseLabels } from '../parse-labels.ts';
import { badFlag } from '../refuse-flag.ts';
import { type CreateFlags, createRun, withCreateFlags } from '../run/create-run.ts';
import { backupColumns } from './backup-columns.ts';
import { readSpec } from './spec/read-spec.ts';
import { type SpecFlags, withSpecFlags } from './spec/spec-flags.ts';

interface Flags extends SpecFlags, CreateFlags {
  fromSchedule?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const examples = `
Examples:
  lateen backup create before-upgrade --wait
  lateen backup create shop --include-namespaces shop,shop-db --snapshot-move-data --wait --exit-code
  lateen backup create web --selector 'app=web,tier in (front,back)' --ttl 72h
  lateen backup create --from-schedule nightly --wait
  lateen backup create shop --include-namespaces shop -o yaml > backup.yaml

Exit codes: 0 when the backup is created and, with --wait, has ended, with any result; 1 when the command itself has failed.
With --wait --exit-code also: 3 when the backup is PartiallyFailed, 4 when it is Failed, FailedValidation or Canceled.`;

/** `lateen backup create NAME` (cli.md section 3) */
export function backupCreateCommand(context: CommandContext, env: Environment, name = 'create'): Command {
  const command = new Command(name)
    .description('Create a backup')
    .argument('[name]', 'name of the backup; with --from-schedule by default that of the schedule with the time');
  withSpecFlags(command).addOption(
    completedOption('--from-schedule <name>', 'make the backup that this schedule would make now', scheduleNames),
  );
  return withCreateFlags(command, 'backup')
    .addHelpText('after', examplesAs(examples, 'backup create', name))
    .action(async (text: string | undefined, flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const make = readWish(text, global.namespace, flags, context);
      const connected = () => context.connect(global);
      const columns = backupColumns(context.clock.now());
      const kind = { noun: backupNoun, follow: followBackup, columns, create: createBackup };
      await createRun(kind, make, flags, { ...context, env, connected });
    });
}

type MakeBackup = (connect: () => Promise<KubeApi>) => Promise<Backup>;

/** Reads all flags before any request to the cluster. @throws AppError BAD_FLAG, BAD_ARGUMENT */
function readWish(text: string | undefined, namespace: string, flags: Flags, context: CommandContext): MakeBackup {
  const labels = flags.labels === undefined ? undefined : parseLabels(flags.labels);
  const annotations = flags.annotations === undefined ? undefined : parseAnnotations(flags.annotations);
  const name = text === undefined ? undefined : parseObjectName(backupNoun, text);
  if (flags.fromSchedule !== undefined) {
    if (flags.fromSchedule.trim() === '') throw badFlag('flag must have a non-empty value: --from-schedule');
    const schedule = parseObjectName(scheduleNoun, flags.fromSchedule);
    const { clock, signal, stderr } = context;
    return async (connect) => {
      const found = await findObject(await connect(), scheduleNoun, { namespace, name: schedule }, signal);
      stderr.write('Creating backup from schedule, all other filters are ignored.\n');
      return backupNow(found, { name: name ?? backupName(schedule, clock.now()), labels, annotations });
    };
  }
  if (name === undefined)
    throw new AppError('BAD_ARGUMENT', 'a backup name is required, unless you are creating based on a schedule');
  const spec = readSpec(flags);
  return () => Promise.resolve(newBackup({ name, namespace, labels, annotations, spec }));
}

/** The backup that the schedule would create now. It is not a scheduled run, so it does not get the label of one. */
function backupNow(
  schedule: Schedule,
  { name, labels, annotations }: Pick<Parameters<typeof newBackup>[0], 'name' | 'labels' | 'annotations'>,
): Backup {
  const backup = scheduleBackup(schedule, name);
  const { [marks.scheduleUid]: _, ...kept } = backup.metadata.annotations ?? {};
  const metadata = {
    ...backup.metadata,
    labels: { ...labels, ...backup.metadata.labels },
    annotations: { ...kept, ...annotations },
  };
  return { ...backup, metadata };
}
