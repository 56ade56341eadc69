import type { BackupSpec } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { backupNoun, type ExplainedObject, explainObject } from '@lateen/operations/backup';
import { findObject, parseObjectName } from '@lateen/operations/noun';
import { scheduleNoun } from '@lateen/operations/schedule';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, completedOption } from '../completion/completion.ts';
import { backupNames, namespaceNames, scheduleNames } from '../completion/object-names.ts';
import { plainTable } from '../output/plain-table.ts';
import { badFlag } from '../refuse-flag.ts';
import { readSpec } from './spec/read-spec.ts';
import { type SpecFlags, withSpecFlags } from './spec/spec-flags.ts';

interface Flags extends SpecFlags {
  backup?: string;
  fromSchedule?: string;
  output: string;
}

const formats = ['text', 'json'] as const;

const examples = `
Examples:
  lateen backup explain deployments.apps shop/web --from-schedule nightly
  lateen backup explain secrets shop/key --backup nightly-20260101020000
  lateen backup explain pods shop/web --include-namespaces 'shop*' --selector app=web
  lateen backup explain persistentvolumes pv-1 --include-namespaces shop -o json

The object is evaluated as it is now, and alone: other objects of the backup are not considered. The filters are given as for
lateen backup create.`;

/** `lateen backup explain RESOURCE [NAMESPACE/]NAME` */
export function backupExplainCommand(context: CommandContext): Command {
  const command = new Command('explain')
    .description('Say why an object would be in a backup, or why not')
    .argument('<resource>', 'what it is, such as pods or deployments.apps')
    .addArgument(completedArgument('<object>', 'NAMESPACE/NAME, or NAME of a cluster-scoped object', placesOf));
  return withSpecFlags(command)
    .addOption(completedOption('--backup <name>', 'by the filters of this backup', backupNames))
    .addOption(completedOption('--from-schedule <name>', 'by the filters of this schedule', scheduleNames))
    .addOption(completedOption('-o, --output <format>', formats.join(' or '), formats).default('text'))
    .addHelpText('after', examples)
    .action(async (resource: string, object: string, flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      if (!formats.some((format) => format === flags.output))
        throw badFlag(`--output ${quoted(flags.output)} is not ${formats.join(' or ')}`);
      const place = parsePlace(object);
      const specOf = readSource(flags, global.namespace, context.signal);
      const kube = await context.connect(global);
      const request = { spec: await specOf(kube), veleroNamespace: global.namespace, resource, ...place };
      const explained = await explainObject(kube, request, context.signal);
      for (const warning of explained.warnings) context.stderr.write(`WARNING: ${warning}\n`);
      context.stdout.write(flags.output === 'json' ? jsonOf(explained) : textOf(explained));
    });
}

/** Completes `NAMESPACE/`: there may be very many objects, and the kind is the word before, as users write it. */
const placesOf: typeof namespaceNames = async (asked) => {
  const spaces = await namespaceNames(asked);
  return spaces.map(({ word }) => ({ word: `${word}/`, goesOn: true }));
};

function parsePlace(text: string): { namespace?: string; name: string } {
  const [name = '', namespace, ...more] = text.split('/').toReversed();
  if (name === '' || namespace === '' || more.length > 0)
    throw new AppError('BAD_ARGUMENT', `${quoted(text)} is not NAMESPACE/NAME or NAME`);
  return namespace === undefined ? { name } : { namespace, name };
}

/** Reads the source of the filters; all flags are read before any request to the cluster. @throws AppError BAD_FLAG */
function readSource(
  { backup, fromSchedule, output: _, ...filters }: Flags,
  namespace: string,
  signal: AbortSignal,
): (kube: KubeApi) => Promise<BackupSpec> {
  const named = [backup, fromSchedule].filter((name) => name !== undefined).length;
  if (named + (Object.keys(filters).length > 0 ? 1 : 0) > 1)
    throw badFlag('filters can be given by --backup, by --from-schedule or by flags, but by one of these only');
  if (backup !== undefined) {
    const name = parseObjectName(backupNoun, backup);
    return async (kube) => (await findObject(kube, backupNoun, { namespace, name }, signal)).spec;
  }
  if (fromSchedule !== undefined) {
    const name = parseObjectName(scheduleNoun, fromSchedule);
    return async (kube) => (await findObject(kube, scheduleNoun, { namespace, name }, signal)).spec.template;
  }
  const spec = readSpec(filters);
  return () => Promise.resolve(spec);
}

const nameOf = ({ groupResource, key: { namespace, name } }: ExplainedObject): string =>
  `${groupResource} ${namespace === undefined ? name : `${namespace}/${name}`}`;

function textOf(explained: ExplainedObject): string {
  const { explanation, comesAlong } = explained;
  const verdict = explanation.included ? 'in the backup' : `not in the backup: ${explanation.reason}`;
  const rows = explanation.steps.map(({ rule, leavesOut }) => [rule, leavesOut === undefined ? 'in' : 'out']);
  const lines = [
    `${nameOf(explained)} is ${verdict}`,
    ...(comesAlong ? ['It is included when an object in the backup needs it, as a pod needs its claims.'] : []),
    '',
    ...plainTable(['RULE', 'OBJECT'], rows),
  ];
  return `${lines.join('\n')}\n`;
}

function jsonOf(explained: ExplainedObject): string {
  const { groupResource, key, explanation, comesAlong } = explained;
  return `${JSON.stringify({ resource: groupResource, ...key, ...explanation, comesAlong }, undefined, 2)}\n`;
}
