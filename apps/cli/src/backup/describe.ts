import type { Backup } from '@lateen/api-types';
import { type ItemOutcomeKind, itemOutcomeKinds } from '@lateen/backup-store';
import { backupNoun, inspectBackup, sortBackups } from '@lateen/operations/backup';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { backupNames } from '../completion/object-names.ts';
import { type DescribedKind, describeCommand } from '../describe/describe-command.ts';
import { backupAsJson } from './describe/backup-as-json.ts';
import { describeBackup } from './describe/describe-backup.ts';

const examples = `
Examples:
  lateen backup describe nightly-20260101020000
  lateen backup describe nightly-20260101020000 --details
  lateen backup describe nightly-20260101020000 --outcome Failed,Warning --outcome-namespace shop
  lateen backup describe nightly-20260101020000 -o json
  lateen backup describe -l velero.io/schedule-name=nightly`;

/** How a backup is described, also in support bundles. */
export const describedBackups: DescribedKind<Backup, ItemOutcomeKind> = {
  noun: backupNoun,
  about: 'Describe backups: causes of failures, contents, volumes, operations',
  examples,
  names: backupNames,
  verdicts: itemOutcomeKinds,
  details: 'also each operation, each volume, the list of resources, and the outcome of what is not simply backed up',
  sort: sortBackups,
  locationOf: async (_, { spec }) => spec.storageLocation,
  read: async (kube, backup, bring, options, signal) => {
    const inspected = await inspectBackup(kube, backup, bring, options, signal);
    return { text: () => describeBackup(inspected, options), json: () => backupAsJson(inspected, options) };
  },
};

/** `lateen backup describe [NAME…]` (docs/reference/cli.md section 9) */
export const backupDescribeCommand = (
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
  name?: string,
): Command => describeCommand(describedBackups, context, env, name);
