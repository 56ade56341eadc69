import type { Backup } from '@lateen/api-types';
import { AppError, byteSize } from '@lateen/errors';
import { age } from '@lateen/kernel';
import type { OperationResults, RepositoryTask } from '@lateen/maintenance';
import type { TaskPorts } from '@lateen/operations/repository';
import {
  createComparedVolume,
  findKeptSnapshot,
  findStoredVolume,
  type KeptSnapshot,
  keptName,
  mustBeKept,
  type StoredVolume,
  type StoredVolumeChoice,
} from '@lateen/operations/volume';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { backupNames } from '../completion/object-names.ts';
import { anyVolumeNames, storedVolumes } from '../completion/volume-names.ts';
import { bringerOf } from '../download/bring-files.ts';
import { type DownloadFlags, readDownloadFlags, withDownloadFlags } from '../download/download-flags.ts';
import { parseValueFormat, printValue, valueFormats } from '../output/print-value.ts';
import { parsePercent } from '../parse-percent.ts';
import { badFlag } from '../refuse-flag.ts';
import { runShown } from '../repo/run-shown.ts';
import { problemLines } from '../repo/say-result.ts';
import { taskPorts } from '../repo/task-ports.ts';

interface Flags extends DownloadFlags {
  fromBackup?: string;
  volume?: string;
  share: string;
  compare: string;
  output: string;
}

const comparisons = ['auto', 'always', 'never'] as const;

const examples = `
Examples:
  lateen volume verify data-x7k2p
  lateen volume verify pvb/nightly-9fh4q --share 10
  lateen volume verify --from-backup nightly --volume shop/data
  lateen volume verify data-x7k2p --compare always -o json

It checks that everything the snapshot needs is in the repository, reads its data and compares it with its hashes. If the
VolumeSnapshot of a block volume was kept (KeepBaseSnapshot), the data is also compared with the volume in it, for which
a claim is created in the namespace of Lateen and deleted afterwards. Nothing in the repository is changed.

With --from-backup, the upload need not be in this cluster: the volume information in the bucket also names the snapshot.

Exit code 1 when something is damaged or differs, or could not be checked.`;

/** `lateen volume verify [NAME]` */
export function volumeVerifyCommand(
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
): Command {
  const command = new Command('verify')
    .description('Verify that what is stored of a volume is whole, can be read, and equals its kept snapshot')
    .addArgument(
      completedArgument(
        '[name]',
        'name of an upload, as "lateen volume list" shows it; upload/NAME or pvb/NAME when several have one',
        storedVolumes,
      ),
    )
    .addOption(completedOption('--from-backup <name>', 'the backup, with --volume, instead of a name', backupNames))
    .addOption(
      completedOption('--volume <volume>', 'its volume: NAMESPACE/PVC, or NAMESPACE/POD:VOLUME', anyVolumeNames),
    )
    .option('--share <percent>', 'how much of the data is read, chosen by chance, as in --share 10', '100')
    .addOption(
      completedOption(
        '--compare <when>',
        'with the kept snapshot: auto (if there is one), always (fail if there is none), never',
        comparisons,
      ).default('auto'),
    )
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'));
  return withDownloadFlags(command, env)
    .addHelpText('after', examples)
    .action(async (name: string | undefined, flags: Flags, command: Command) => {
      const global = command.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const [choice, percent, compare] = [choiceOf(name, flags), parsePercent('--share', flags.share), whenOf(flags)];
      const read = await readDownloadFlags(flags);
      const ports = await taskPorts(context, global);
      const bringOf = ({ metadata, spec }: Backup) =>
        bringerOf(ports.kube, { ...metadata, location: spec.storageLocation }, read, context, env);
      const { namespace } = global;
      const stored = await findStoredVolume(ports.kube, { namespace, choice, bringOf }, context.signal);
      const kept = await keptFor(ports, stored, compare, context.signal);
      const verified = await verify(context, ports, { stored, kept, percent });
      context.stdout.write(
        printValue(format, linesOf(stored, kept, verified), verificationAsJson(stored, kept, verified)),
      );
      judge(stored, verified.result);
    });
}

/** @throws AppError BAD_FLAG */
function choiceOf(name: string | undefined, { fromBackup, volume }: Flags): StoredVolumeChoice {
  if (name !== undefined && fromBackup === undefined && volume === undefined) return { movement: name };
  if (name === undefined && fromBackup !== undefined && volume !== undefined) return { backup: fromBackup, volume };
  throw badFlag(
    name === undefined ? 'no stored volume was named' : 'a name cannot be combined with --from-backup and --volume',
    'Write the name of an upload, or both --from-backup and --volume.',
  );
}

/** @throws AppError BAD_FLAG */
function whenOf({ compare }: Flags): (typeof comparisons)[number] {
  const found = comparisons.find((each) => each === compare);
  if (found !== undefined) return found;
  throw badFlag(`--compare ${JSON.stringify(compare)} is not known`, `Use one of ${comparisons.join(', ')}.`);
}

async function keptFor(
  { kube }: TaskPorts,
  stored: StoredVolume,
  compare: (typeof comparisons)[number],
  signal: AbortSignal,
): Promise<KeptSnapshot | undefined> {
  if (compare === 'never') return undefined;
  const kept = await findKeptSnapshot(kube, stored, signal);
  return compare === 'always' ? mustBeKept(kept, stored) : kept;
}

interface Verified {
  result: OperationResults['verify'];
  durationMs: number;
}

function verify(
  context: CommandContext,
  ports: TaskPorts,
  { stored, kept, percent }: { stored: StoredVolume; kept: KeptSnapshot | undefined; percent: number },
): Promise<Verified> {
  const { from, repository, snapshotID } = stored;
  const task = {
    operation: 'verify',
    snapshotID,
    readDataPercent: percent,
    isCompared: kept !== undefined,
  } as const satisfies RepositoryTask;
  const onCreated = kept && {
    onCreated: (job: Parameters<typeof createComparedVolume>[1]) =>
      createComparedVolume(ports.kube, job, kept, context.signal),
  };
  return runShown(context, ports, repository, task, { label: from.metadata.name ?? '', ...onCreated });
}

function linesOf(
  { from, volume, snapshotID }: StoredVolume,
  kept: KeptSnapshot | undefined,
  verified: Verified,
): string[] {
  const { result, durationMs } = verified;
  const { readDataPercent, readBytes, comparedBytes, problemCount } = result;
  const read = `${readDataPercent} % of the data read${readBytes === undefined ? '' : ` (${byteSize(readBytes)})`}`;
  const compared =
    kept === undefined ? [] : [`${byteSize(comparedBytes ?? 0)} compared with VolumeSnapshot ${keptName(kept)}`];
  const found = problemCount === 0 ? 'no damage found' : `DAMAGED, ${problemCount} problems`;
  const facts = [`snapshot ${snapshotID} of ${volume}`, read, ...compared, age(durationMs)];
  return [`${from.metadata.name}: ${found} (${facts.join('; ')})`, ...problemLines(result)];
}

function verificationAsJson(
  { from, volume, repository }: StoredVolume,
  kept: KeptSnapshot | undefined,
  { result, durationMs }: Verified,
): Record<string, unknown> {
  return {
    kind: from.kind,
    name: from.metadata.name,
    volume,
    repository: repository.metadata.name,
    ...(kept === undefined ? {} : { comparedWith: keptName(kept) }),
    durationMs,
    ...result,
  };
}

/** @throws AppError SNAPSHOT_DAMAGED */
function judge({ volume, repository, snapshotID }: StoredVolume, { problemCount }: OperationResults['verify']): void {
  if (problemCount === 0) return;
  throw new AppError(
    'SNAPSHOT_DAMAGED',
    `snapshot ${snapshotID} of ${volume} is damaged or differs: ${problemCount} problems`,
    {
      nextStep: `Back up the volume again with everything read (parentSnapshot: none), and look at the others: lateen repo check ${repository.metadata.name} --read-data`,
    },
  );
}
