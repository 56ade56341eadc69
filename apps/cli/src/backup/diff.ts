import type { Backup } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import {
  type ArchiveComparison,
  type BringArchive,
  backupHasEnded,
  backupNoun,
  backupPhaseOf,
  type ComparedItem,
  changesOf,
  compareArchives,
} from '@lateen/operations/backup';
import { findObjects, parseObjectName } from '@lateen/operations/noun';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import { collectList } from '../collect-list.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption, severalOf } from '../completion/completion.ts';
import { backupNames, namespaceNames } from '../completion/object-names.ts';
import { bringerOf } from '../download/bring-files.ts';
import { type DownloadFlags, readDownloadFlags, withDownloadFlags } from '../download/download-flags.ts';
import { encoded, writeText } from '../download/write-text.ts';
import { usesColor } from '../output/phase-color.ts';
import { badFlag } from '../refuse-flag.ts';
import { comparisonJson, comparisonText } from './diff/print-comparison.ts';

interface Flags extends DownloadFlags {
  output: string;
  resources?: string[];
  namespaces?: string[];
  allFields?: boolean;
  exitCode?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const formats = ['text', 'json'] as const;

const examples = `
Examples:
  lateen backup diff nightly-20260101020000 nightly-20260102020000
  lateen backup diff nightly-20260101020000 nightly-20260102020000 --namespaces shop --resources deployments.apps,configmaps
  lateen backup diff before-upgrade after-upgrade -o json
  lateen backup diff before-upgrade after-upgrade --exit-code > /dev/null

Values of Secrets are not shown, only that they differ. Exit codes: 0, or 1 when the command has failed; with --exit-code also 3 when
the backups differ.`;

/** `lateen backup diff A B` */
export function backupDiffCommand(context: CommandContext, env: Environment): Command {
  const command = new Command('diff')
    .description('Show which objects were added, removed and changed from one backup to another, and how; not volumes')
    .addArgument(completedArgument('<before>', 'the older backup', backupNames))
    .addArgument(completedArgument('<after>', 'the newer backup', backupNames))
    .addOption(completedOption('-o, --output <format>', formats.join(' or '), formats).default('text'))
    .option('--resources <names,…>', 'only these, such as deployments.apps', collectList('--resources'))
    .addOption(
      completedOption(
        '--namespaces <names,…>',
        'only objects of these namespaces',
        severalOf(namespaceNames),
      ).argParser(collectList('--namespaces')),
    );
  withBooleanFlag(command, '--all-fields', 'also fields that the cluster changes, such as status and resourceVersion');
  withBooleanFlag(command, '--exit-code', 'exit with 3 when they differ');
  return withDownloadFlags(command, env)
    .addHelpText('after', examples)
    .action(async (before: string, after: string, flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const isJson = checkFormat(flags.output) === 'json';
      const names = [before, after].map((name) => parseObjectName(backupNoun, name));
      const read = await readDownloadFlags(flags);
      const kube = await context.connect(global);
      const { signal, stdout } = context;
      const found = await findObjects(kube, backupNoun, global.namespace, { names }, signal);
      const archives = await Promise.all(
        names.map(async (name): Promise<BringArchive> => {
          const backup = found.find(({ metadata }) => metadata.name === name) as Backup;
          checkStored(backup);
          const bring = await bringerOf(
            kube,
            { ...backup.metadata, location: backup.spec.storageLocation },
            read,
            context,
            env,
          );
          return (use) => bring('BackupContents', use).catch((error: unknown) => Promise.reject(named(error, name)));
        }),
      );
      const [old, now] = archives as [BringArchive, BringArchive];
      const options = flags.allFields === true ? { ignored: [] } : {};
      const comparison = narrowed(await compareArchives(old, now, options, signal), flags);
      const told = {
        before: names[0] ?? '',
        after: names[1] ?? '',
        found: comparison,
        changes: changesOf(old, now, comparison.changed, options, signal),
      };
      const text = isJson ? comparisonJson(told) : comparisonText(told, { color: usesColor(stdout, env) });
      await writeText(stdout, encoded(text), signal);
      const { added, removed, changed } = comparison;
      if (flags.exitCode === true && added.length + removed.length + changed.length > 0)
        throw new AppError('BACKUPS_DIFFER', `backups "${names[0]}" and "${names[1]}" differ`);
    });
}

/** @throws AppError BAD_FLAG */
function checkFormat(text: string): (typeof formats)[number] {
  const found = formats.find((format) => format === text);
  if (found === undefined) throw badFlag(`--output "${text}" is not a format`, `Use one of ${formats.join(', ')}.`);
  return found;
}

/** @throws AppError BACKUP_NOT_STORED for a backup without an archive (yet) */
function checkStored(backup: Backup): void {
  const phase = backupPhaseOf(backup);
  if (backupHasEnded(backup) && phase !== 'FailedValidation' && phase !== 'Canceled') return;
  throw new AppError('BACKUP_NOT_STORED', `backup "${backup.metadata.name}" is ${phase} and has no objects to compare`);
}

const named = (error: unknown, name: string): unknown =>
  isAppError(error, 'FILE_NOT_FOUND')
    ? new AppError('FILE_NOT_FOUND', `the objects of backup "${name}" are not in its storage location`, {
        cause: error,
      })
    : error;

function narrowed(found: ArchiveComparison, { resources, namespaces }: Flags): ArchiveComparison {
  const isMeant = ({ groupResource, namespace = '' }: ComparedItem): boolean =>
    (resources?.includes(groupResource) ?? true) && (namespaces?.includes(namespace) ?? true);
  return {
    ...found,
    added: found.added.filter(isMeant),
    removed: found.removed.filter(isMeant),
    changed: found.changed.filter(isMeant),
  };
}
