import type { KubeApi } from '@lateen/kube';
import type { Run, RunNoun } from '@lateen/operations/run';
import type { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext } from '../command-context.ts';
import { type ListFlags, listPrinter, withListFlags } from '../output/list-flags.ts';
import type { ResourceColumn } from '../output/resource-table.ts';
import { badFlag } from '../refuse-flag.ts';
import { reportEnd } from './report-end.ts';
import { type Follow, waitForRun } from './wait-for-run.ts';

/** Flags of a command that creates a run: only print the object, or wait for the end of the run. */
export interface CreateFlags extends Partial<ListFlags> {
  wait?: boolean;
  exitCode?: boolean;
}

/** Adds them. */
export function withCreateFlags(command: Command, word: string): Command {
  withBooleanFlag(withListFlags(command, { creates: true }), '-w, --wait', `show the ${word} until it has ended`);
  return withBooleanFlag(command, '--exit-code', `with --wait: exit with 3 or 4 when the ${word} is not Completed`);
}

export interface CreatedKind<T extends Run> {
  noun: RunNoun<T>;
  follow: Follow<T>;
  columns: readonly ResourceColumn<T>[];
  create(kube: KubeApi, wanted: T, signal: AbortSignal): Promise<T>;
}

type Surroundings = CommandContext & {
  env: Readonly<Record<string, string | undefined>>;
  connected(): Promise<KubeApi>;
};

/**
 * Creates the run and follows it to its end, or only prints the object, as the flags say; the messages are Velero's (cli.md
 * section 3).
 * @param make called when requests to the cluster are allowed
 * @throws AppError BAD_FLAG before that; what `make` and `reportEnd` throw
 */
export async function createRun<T extends Run>(
  { noun, follow, columns, create }: CreatedKind<T>,
  make: (connect: () => Promise<KubeApi>) => Promise<T>,
  flags: CreateFlags,
  context: Surroundings,
): Promise<void> {
  const { word } = noun;
  const { signal, stdout, connected, env } = context;
  const { output } = flags;
  if (output !== undefined && flags.wait === true)
    throw badFlag(`--wait cannot be given with --output, which only prints the ${word}`);
  if (flags.exitCode === true && flags.wait !== true)
    throw badFlag(`--exit-code tells how the ${word} has ended, which needs --wait`);
  const print = listPrinter(columns, { ...flags, output: output ?? 'table' });
  if (output !== undefined) {
    stdout.write(print([await make(connected)], { asList: false }));
    return;
  }
  const kube = await connected();
  const created = await create(kube, await make(() => Promise.resolve(kube)), signal);
  const { name } = created.metadata;
  stdout.write(`${noun.type.kind} request "${name}" submitted successfully.\n`);
  if (flags.wait !== true) {
    stdout.write(`Run \`lateen ${word} describe ${name}\` or \`lateen ${word} logs ${name}\` for more details.\n`);
    return;
  }
  stdout.write(
    `Waiting for ${word} to complete. You may safely press ctrl-c to stop waiting - your ${word} will continue in the background.\n`,
  );
  const seen = await waitForRun(kube, { noun, follow }, created, context, env);
  reportEnd(noun, seen, { failing: flags.exitCode === true }, stdout);
}
