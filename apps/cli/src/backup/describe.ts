import type { Backup } from '@lateen/api-types';
import { type ItemOutcomeKind, itemOutcomeKinds } from '@lateen/backup-store';
import { quoted } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { type BringFile, backupNoun, inspectBackup, type OutcomeFilter, sortBackups } from '@lateen/operations/backup';
import { downloadFile } from '@lateen/operations/download';
import { findObjects, selectionToShow } from '@lateen/operations/noun';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import { collectList } from '../collect-list.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption, severalOf } from '../completion/completion.ts';
import { backupNames, namespaceNames } from '../completion/object-names.ts';
import {
  type DownloadFlags,
  downloadOptions,
  type ReadFlags,
  readDownloadFlags,
  withDownloadFlags,
} from '../download/download-flags.ts';
import { examplesAs } from '../examples-as.ts';
import { badFlag } from '../refuse-flag.ts';
import { backupAsJson } from './describe/backup-as-json.ts';
import { describeBackup } from './describe/describe-backup.ts';

interface Flags extends DownloadFlags {
  selector?: string;
  details?: boolean;
  output: string;
  outcome?: string[];
  outcomeKind?: string[];
  outcomeNamespace?: string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const formats = ['plaintext', 'json'] as const;

const examples = `
Examples:
  lateen backup describe nightly-20260101020000
  lateen backup describe nightly-20260101020000 --details
  lateen backup describe nightly-20260101020000 --outcome Failed,Warning --outcome-namespace shop
  lateen backup describe nightly-20260101020000 -o json
  lateen backup describe -l velero.io/schedule-name=nightly`;

/** `lateen backup describe [NAME…]` (cli.md section 9) */
export function backupDescribeCommand(context: CommandContext, env: Environment, name = 'describe'): Command {
  const command = new Command(name)
    .description('Show all that is known of backups: why what failed did, what is in them, volumes, operations')
    .addArgument(completedArgument('[name...]', 'names (default: all)', backupNames))
    .option('-l, --selector <labels>', 'only those with these labels')
    .addOption(completedOption('-o, --output <format>', formats.join(' or '), formats).default('plaintext'))
    .addOption(
      completedOption(
        '--outcome <names,…>',
        `items with these outcomes: ${itemOutcomeKinds.join(', ')}`,
        severalOf(itemOutcomeKinds),
      ).argParser(collectList('--outcome')),
    )
    .option(
      '--outcome-kind <kinds,…>',
      'the outcomes of items of these kinds, such as Pod',
      collectList('--outcome-kind'),
    )
    .addOption(
      completedOption(
        '--outcome-namespace <names,…>',
        'the outcomes of items of these namespaces',
        severalOf(namespaceNames),
      ).argParser(collectList('--outcome-namespace')),
    );
  withBooleanFlag(
    command,
    '--details',
    'also each operation, each volume, the list of resources, and the outcome of what is not simply backed up',
  );
  return withDownloadFlags(command, env, '30s')
    .addHelpText('after', examplesAs(examples, 'backup describe', name))
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const options = { details: flags.details === true, outcomes: outcomeFilter(flags) };
      const isJson = checkFormat(flags.output) === 'json';
      const selection = selectionToShow(backupNoun, { names, selector: flags.selector });
      const read = await readDownloadFlags(flags);
      const kube = await context.connect(global);
      const { signal, stdout, stderr } = context;
      const found = await findObjects(kube, backupNoun, global.namespace, selection, signal);
      if (isJson && found.length !== 1) throw badFlag('--output json describes one backup only', 'Name one.');
      if (found.length === 0) stderr.write('No backups found\n');
      for (const [at, backup] of (names.length === 0 ? sortBackups(found) : found).entries()) {
        const bring = await bringerOf(kube, backup, read, context, env);
        const inspected = await inspectBackup(kube, backup, bring, options, signal);
        const text = isJson
          ? `${JSON.stringify(backupAsJson(inspected, options), null, 2)}\n`
          : describeBackup(inspected, options);
        stdout.write(`${at === 0 ? '' : '\n\n'}${text}`);
      }
    });
}

/** @throws AppError BAD_FLAG in the reference's words (cli.md section 9) */
function checkFormat(text: string): (typeof formats)[number] {
  const found = formats.find((format) => format === text);
  if (found === undefined) throw badFlag(`invalid output format '${text}'. valid value are 'plaintext, json'`);
  return found;
}

/** Undefined when no flag asks for outcomes. @throws AppError BAD_FLAG */
function outcomeFilter({ outcome, outcomeKind, outcomeNamespace }: Flags): OutcomeFilter | undefined {
  if (outcome === undefined && outcomeKind === undefined && outcomeNamespace === undefined) return undefined;
  return { outcomes: outcome?.map(outcomeKindNamed), kinds: outcomeKind, namespaces: outcomeNamespace };
}

function outcomeKindNamed(text: string): ItemOutcomeKind {
  const found = itemOutcomeKinds.find((kind) => kind.toLowerCase() === text.toLowerCase());
  if (found === undefined)
    throw badFlag(`--outcome ${quoted(text)} is not an outcome`, `Use one of ${itemOutcomeKinds.join(', ')}.`);
  return found;
}

/** Brings files of one backup by DownloadRequests. */
export async function bringerOf(
  kube: KubeApi,
  backup: Backup,
  read: ReadFlags,
  { clock, random, signal }: CommandContext,
  env: Environment,
): Promise<BringFile> {
  const { namespace = '', name = '' } = backup.metadata;
  const target = { kind: 'BackupResults', name } as const;
  const what = { namespace, target, location: backup.spec.storageLocation };
  const options = await downloadOptions(kube, what, read, env, signal);
  return (kind, use) =>
    downloadFile({ kube, clock, random }, { ...options, target: { kind, name } }, ({ pieces }) => use(pieces), signal);
}
