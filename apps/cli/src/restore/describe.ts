import type { Restore } from '@lateen/api-types';
import { type RestoreItemAct, restoreItemActs } from '@lateen/backup-store';
import { locationOfRestore } from '@lateen/operations/download';
import { inspectRestore, restoreNoun } from '@lateen/operations/restore';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { restoreNames } from '../completion/object-names.ts';
import { type DescribedKind, describeCommand } from '../describe/describe-command.ts';
import { describeRestore } from './describe/describe-restore.ts';
import { restoreAsJson } from './describe/restore-as-json.ts';

const examples = `
Examples:
  lateen restore describe shop-20260101020000
  lateen restore describe shop-20260101020000 --details
  lateen restore describe shop-20260101020000 --outcome fail,denied,conflict --outcome-namespace shop
  lateen restore describe shop-20260101020000 -o json
  lateen restore describe -l team=shop`;

/** How a restore is described, also in support bundles. */
export const describedRestores: DescribedKind<Restore, RestoreItemAct> = {
  noun: restoreNoun,
  about: 'Describe restores: causes of failures, what was restored, volumes, operations',
  examples,
  names: restoreNames,
  verdicts: restoreItemActs,
  details: 'also each operation, each volume, the list of resources, and the outcome of what is not simply created',
  sort: (restores) => [...restores],
  locationOf: locationOfRestore,
  read: async (kube, restore, bring, options, signal) => {
    const inspected = await inspectRestore(kube, restore, bring, options, signal);
    return { text: () => describeRestore(inspected, options), json: () => restoreAsJson(inspected, options) };
  },
};

/** `lateen restore describe [NAME…]` (docs/reference/cli.md section 9) */
export const restoreDescribeCommand = (
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
  name?: string,
): Command => describeCommand(describedRestores, context, env, name);
