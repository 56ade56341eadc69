import { changeObject, volumeNoun, withSpec } from '@lateen/operations/storage';
import {
  accessModes,
  dataLocalities,
  int64Text,
  replicaAutoBalances,
  settingOverrides,
  snapshotDataIntegrities,
  type VolumeSpec,
} from '@lateen/storage-types';
import { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { badFlag } from '../../refuse-flag.ts';
import { openStorage } from '../open-storage.ts';
import { parseBytes } from '../parse-bytes.ts';
import { volumeNames } from '../storage-names.ts';

interface FieldFlag {
  flag: string;
  about: string;
  field: keyof VolumeSpec;
  choices?: readonly string[];
  read?(text: string): unknown;
}

const whole =
  (flag: string) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text)) throw badFlag(`${flag} "${text}" is not a whole number`);
    return Number(text);
  };

/** One row for each field that may change. */
const fieldFlags: readonly FieldFlag[] = [
  { flag: '--replicas', about: 'number of replicas to have', field: 'numberOfReplicas', read: whole('--replicas') },
  {
    flag: '--data-locality',
    about: 'whether one replica is kept on the node of the pod',
    field: 'dataLocality',
    choices: dataLocalities,
  },
  { flag: '--access-mode', about: 'only while it is detached', field: 'accessMode', choices: accessModes },
  {
    flag: '--auto-balance',
    about: 'whether replicas move for an even spread',
    field: 'replicaAutoBalance',
    choices: replicaAutoBalances,
  },
  {
    flag: '--node-anti-affinity',
    about: 'soft: two replicas may be on one node',
    field: 'replicaSoftAntiAffinity',
    choices: settingOverrides,
  },
  {
    flag: '--zone-anti-affinity',
    about: 'soft: two replicas may be in one zone',
    field: 'replicaZoneSoftAntiAffinity',
    choices: settingOverrides,
  },
  {
    flag: '--disk-anti-affinity',
    about: 'soft: two replicas may be on one disk',
    field: 'replicaDiskSoftAntiAffinity',
    choices: settingOverrides,
  },
  {
    flag: '--snapshot-integrity',
    about: 'whether snapshots are compared between replicas',
    field: 'snapshotDataIntegrity',
    choices: snapshotDataIntegrities,
  },
  {
    flag: '--snapshot-max-count',
    about: 'snapshots that it may have, 2 to 250',
    field: 'snapshotMaxCount',
    read: whole('--snapshot-max-count'),
  },
  {
    flag: '--snapshot-max-size',
    about: 'bytes that they may have together; 0: no limit',
    field: 'snapshotMaxSize',
    read: (text) => int64Text(parseBytes('--snapshot-max-size', text)),
  },
  {
    flag: '--stale-replica-timeout',
    about: 'minutes after which a failed replica is deleted; 0: never',
    field: 'staleReplicaTimeout',
    read: whole('--stale-replica-timeout'),
  },
  {
    flag: '--freeze-filesystem',
    about: 'whether a file system is frozen while a snapshot is taken',
    field: 'freezeFilesystemForSnapshot',
    choices: settingOverrides,
  },
  {
    flag: '--offline-rebuilding',
    about: 'whether replicas are rebuilt while it is detached',
    field: 'offlineRebuilding',
    choices: settingOverrides,
  },
  { flag: '--backup-target', about: 'where its backups go', field: 'backupTargetName' },
];

const examples = `
Examples:
  lateen storage volume update pvc-1 --replicas 2
  lateen storage volume update pvc-1 --data-locality best-effort --auto-balance least-effort`;

/** Adds the flags for the fields of a volume; also used for a new volume. */
export function withVolumeFlags(command: Command): Command {
  for (const { flag, about, choices } of fieldFlags) {
    if (choices === undefined) command.option(`${flag} <value>`, about);
    else command.addOption(completedOption(`${flag} <how>`, `${about}: ${choices.join(', ')}`, choices));
  }
  return command;
}

/** The fields of a volume from the flags. @throws AppError BAD_FLAG */
export function readVolumeFlags(command: Command): Partial<VolumeSpec> {
  const given = fieldFlags.flatMap(({ flag, field, choices, read }) => {
    const option = command.options.find(({ long }) => long === flag);
    const text: unknown = option === undefined ? undefined : command.getOptionValue(option.attributeName());
    if (typeof text !== 'string') return [];
    if (choices !== undefined && !choices.includes(text))
      throw badFlag(`${flag} "${text}" is not one of ${choices.join(', ')}`);
    return [[field, read?.(text) ?? text] as const];
  });
  return Object.fromEntries(given) as Partial<VolumeSpec>;
}

/** `lateen storage volume update NAME` */
export function storageVolumeUpdateCommand(context: CommandContext): Command {
  const command = new Command('update')
    .description('Change the settings of a volume; what is not named stays as it is')
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames));
  return withVolumeFlags(command)
    .addHelpText('after', examples)
    .action(async (name: string, _: object, self: Command) => {
      const spec = readVolumeFlags(self);
      if (Object.keys(spec).length === 0) throw badFlag('no change was given', 'See the flags with --help.');
      const opened = await openStorage(context, self);
      const place = { ...opened, signal: context.signal };
      const { changed } = await changeObject(place, volumeNoun, name, (volume) => withSpec(volume, spec));
      context.stdout.write(`volume ${name} ${changed ? 'is changed' : 'is unchanged'}\n`);
    });
}
