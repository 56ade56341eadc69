import { quoted } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { findObjects, pluralOf, selectionToShow } from '@lateen/operations/noun';
import type { BringFile, OutcomeFilter, Run, RunNoun } from '@lateen/operations/run';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import { collectList } from '../collect-list.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption, type FindCandidates, severalOf } from '../completion/completion.ts';
import { namespaceNames } from '../completion/object-names.ts';
import { bringerOf } from '../download/bring-files.ts';
import { type DownloadFlags, readDownloadFlags, withDownloadFlags } from '../download/download-flags.ts';
import { examplesAs } from '../examples-as.ts';
import { badFlag } from '../refuse-flag.ts';

interface Flags extends DownloadFlags {
  selector?: string;
  details?: boolean;
  output: string;
  outcome?: string[];
  outcomeKind?: string[];
  outcomeNamespace?: string[];
}

export interface DescribeOptions<V extends string> {
  details: boolean;
  outcomes?: OutcomeFilter<V> | undefined;
}

/** The description of one run. */
export interface Description {
  text(): string;
  json(): unknown;
}

/** @typeParam V the possible outcomes of an item, one word each */
export interface DescribedKind<T extends Run, V extends string> {
  noun: RunNoun<T>;
  about: string;
  examples: string;
  names: FindCandidates;
  verdicts: readonly V[];
  /** What `--details` adds. */
  details: string;
  /** The order when no names are given. */
  sort(runs: readonly T[]): T[];
  /** The location of its files, if it is known. */
  locationOf(kube: KubeApi, run: T, signal: AbortSignal): Promise<string | undefined>;
  read(kube: KubeApi, run: T, bring: BringFile, options: DescribeOptions<V>, signal: AbortSignal): Promise<Description>;
}

const formats = ['plaintext', 'json'] as const;

/** `lateen backup describe [NAME…]`, `lateen restore describe [NAME…]` (cli.md section 9) */
export function describeCommand<T extends Run, V extends string>(
  kind: DescribedKind<T, V>,
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
  name = 'describe',
): Command {
  const { noun, verdicts } = kind;
  return withFlags(new Command(name).description(kind.about), kind, env)
    .addHelpText('after', examplesAs(kind.examples, `${noun.word} describe`, name))
    .action(async (names: string[], flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      const options = { details: flags.details === true, outcomes: outcomeFilter(flags, verdicts) };
      const isJson = checkFormat(flags.output) === 'json';
      const selection = selectionToShow(noun, { names, selector: flags.selector });
      const read = await readDownloadFlags(flags);
      const kube = await context.connect(global);
      const { signal, stdout, stderr } = context;
      const found = await findObjects(kube, noun, global.namespace, selection, signal);
      if (isJson && found.length !== 1) throw badFlag(`--output json describes one ${noun.word} only`, 'Name one.');
      if (found.length === 0) stderr.write(`No ${pluralOf(noun)} found\n`);
      for (const [at, run] of (names.length === 0 ? kind.sort(found) : found).entries()) {
        const location = await kind.locationOf(kube, run, signal);
        const bring = await bringerOf(kube, { ...run.metadata, location }, read, context, env);
        const description = await kind.read(kube, run, bring, options, signal);
        const text = isJson ? `${JSON.stringify(description.json(), null, 2)}\n` : description.text();
        stdout.write(`${at === 0 ? '' : '\n\n'}${text}`);
      }
    });
}

function withFlags<T extends Run, V extends string>(
  command: Command,
  { names, verdicts, details }: DescribedKind<T, V>,
  env: Readonly<Record<string, string | undefined>>,
): Command {
  command
    .addArgument(completedArgument('[name...]', 'names (default: all)', names))
    .option('-l, --selector <labels>', 'only those with these labels')
    .addOption(completedOption('-o, --output <format>', formats.join(' or '), formats).default('plaintext'))
    .addOption(
      completedOption(
        '--outcome <names,…>',
        `items with these outcomes: ${verdicts.join(', ')}`,
        severalOf(verdicts),
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
  withBooleanFlag(command, '--details', details);
  return withDownloadFlags(command, env, '30s');
}

/** @throws AppError BAD_FLAG in Velero's words (cli.md section 9) */
function checkFormat(text: string): (typeof formats)[number] {
  const found = formats.find((format) => format === text);
  if (found === undefined) throw badFlag(`invalid output format '${text}'. valid value are 'plaintext, json'`);
  return found;
}

/** Undefined when no flag asks for outcomes. @throws AppError BAD_FLAG */
function outcomeFilter<V extends string>(
  { outcome, outcomeKind, outcomeNamespace }: Flags,
  verdicts: readonly V[],
): OutcomeFilter<V> | undefined {
  if (outcome === undefined && outcomeKind === undefined && outcomeNamespace === undefined) return undefined;
  const outcomes = outcome?.map((text) => verdictNamed(text, verdicts));
  return { outcomes, kinds: outcomeKind, namespaces: outcomeNamespace };
}

function verdictNamed<V extends string>(text: string, verdicts: readonly V[]): V {
  const found = verdicts.find((verdict) => verdict.toLowerCase() === text.toLowerCase());
  if (found === undefined)
    throw badFlag(`--outcome ${quoted(text)} is not an outcome`, `Use one of ${verdicts.join(', ')}.`);
  return found;
}
