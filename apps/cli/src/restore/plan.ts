import type { Restore } from '@lateen/api-types';
import { AppError, isAppError, quoted } from '@lateen/errors';
import { locationOfRestore } from '@lateen/operations/download';
import { followRestore, planRestore, restoreNoun } from '@lateen/operations/restore';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { bringerOf } from '../download/bring-files.ts';
import { type DownloadFlags, readDownloadFlags, withDownloadFlags } from '../download/download-flags.ts';
import { encoded, writeText } from '../download/write-text.ts';
import { parseValueFormat, printValue, valueFormats } from '../output/print-value.ts';
import { badFlag } from '../refuse-flag.ts';
import { waitForRun } from '../run/wait-for-run.ts';
import { graphFormats, graphText } from './plan/graph-text.ts';
import { planLines } from './plan/plan-lines.ts';
import { type RestoreFlags, withRestoreFlags } from './spec/spec-flags.ts';
import { wantedRestore } from './wanted-restore.ts';

interface Flags extends RestoreFlags, DownloadFlags {
  output: string;
  details?: boolean;
  graph?: string;
  exitCode?: boolean;
}

const examples = `
Examples:
  lateen restore plan --from-backup nightly-20260101020000
  lateen restore plan --from-schedule nightly --include-namespaces shop --details
  lateen restore plan --from-backup shop --existing-resource-policy update --exit-code
  lateen restore plan --from-backup shop --existing-volumes shop/data=full --scale-workloads
  lateen restore plan --from-backup shop -o json
  lateen restore plan --from-backup shop --graph dot | dot -Tsvg > plan.svg

Results per object: create, update, unchanged; conflict (it exists, differs, and is left alone), immutable (it differs in a field
that cannot be changed), denied (a webhook, policy or quota rejects it), skip, fail.
With --exit-code: 3 when there are objects that would be conflict, immutable, denied or fail.`;

/** Outcomes that the user should know before the restore starts. */
const trouble = ['conflict', 'immutable', 'denied', 'fail'] as const;

/** `lateen restore plan`; Velero has no such command. */
export function restorePlanCommand(
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
): Command {
  const command = withRestoreFlags(
    new Command('plan').description('Show what a restore would do with each object and volume; nothing is written'),
  )
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .addOption(
      completedOption('--graph <format>', 'which object waits for which, as text or for Graphviz (dot)', graphFormats),
    );
  withBooleanFlag(command, '--details', 'each object, also those that are simply created');
  withBooleanFlag(command, '--exit-code', 'exit with 3 when objects would not be restored as they are in the backup');
  return withDownloadFlags(command, env)
    .addHelpText('after', examples)
    .action(async (flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const format = parseValueFormat(flags.output);
      const graph = checkGraph(flags);
      const { clock, random, signal, stdout } = context;
      const name = `plan-${random.suffix(8)}`;
      const make = wantedRestore(name, global.namespace, flags, context);
      const read = await readDownloadFlags(flags);
      const kube = await context.connect(global);
      const wanted = await make(() => Promise.resolve(kube));
      const follow = (created: Restore) =>
        waitForRun(kube, { noun: restoreNoun, follow: followRestore }, created, context, env).catch(notPlanned);
      const bringOf = async (restore: Restore) => {
        const location = await locationOfRestore(kube, restore, signal);
        return await bringerOf(kube, { ...restore.metadata, location }, read, context, env);
      };
      const plan = await planRestore({ kube, clock }, wanted, follow, bringOf, signal);
      const text =
        graph === undefined
          ? printValue(format, planLines(plan, { details: flags.details === true }), plan)
          : graphText(plan.edges, graph);
      await writeText(stdout, encoded([text]), signal);
      if (flags.exitCode === true && trouble.some((act) => (plan.counts[act] ?? 0) > 0))
        throw new AppError('RESTORE_PLAN_TROUBLE', 'not all objects would be restored as they are in the backup');
    });
}

/** @throws AppError BAD_FLAG */
function checkGraph({ graph, output }: Flags): (typeof graphFormats)[number] | undefined {
  if (graph === undefined) return undefined;
  const found = graphFormats.find((format) => format === graph);
  if (found === undefined)
    throw badFlag(`--graph ${quoted(graph)} is not a format`, `Use ${graphFormats.join(' or ')}.`);
  if (output !== 'table') throw badFlag('--graph is a text of its own; -o json and yaml have the graph as edges');
  return found;
}

/** After an interruption there is no plan: the error says so. Other errors are rethrown. */
function notPlanned(error: unknown): never {
  if (!isAppError(error, 'INTERRUPTED')) throw error;
  throw new AppError('INTERRUPTED', 'stopped waiting; there is no plan, and nothing of it is left');
}
