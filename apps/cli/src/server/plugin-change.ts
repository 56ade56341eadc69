import { controllerName, type Deployment, deploymentType } from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import { pluginOf, pluginsOf, waitForRollouts } from '@lateen/manifests';
import { addPlugin, type PluginPlace, removePlugins, runsInTheWay, titleOfWork } from '@lateen/operations/installation';
import { Command, Option } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument, type FindCandidates } from '../completion/completion.ts';
import { askToConfirm } from '../confirm.ts';
import { checkedImage } from '../install/install-settings.ts';
import { applyReport } from '../install/report-apply.ts';
import { parseDuration } from '../parse-duration.ts';

const pullPolicies = ['Always', 'IfNotPresent', 'Never'] as const;

interface Flags {
  imagePullPolicy?: (typeof pullPolicies)[number];
  confirm?: boolean;
  wait?: boolean;
  timeout: string;
}

const addExamples = `
Examples:
  lateen plugin add registry.example/team/velero-plugin-example:v1.2.0 --wait
  lateen plugin add localhost/my-plugin:dev --image-pull-policy Never

The image's programs are copied to /plugins of the controller when its pod starts. A plugin that reads or writes objects of the
cluster needs rights for them: bind a role to the service account of the controller.`;

const removeExamples = `
Examples:
  lateen plugin remove team-velero-plugin-example
  lateen plugin remove registry.example/team/velero-plugin-example:v1.2.0 --wait`;

/** `lateen plugin add IMAGE` (cli.md section 12) */
export function pluginAddCommand(context: CommandContext): Command {
  const command = new Command('add')
    .description('Add the plugins of an image to the server, or another version of them; its pod is restarted')
    .argument('<image>', 'image with programs of plugins, written for Lateen or for Velero')
    .addOption(
      new Option('--image-pull-policy <policy>', 'of the init container (default: IfNotPresent)').choices(pullPolicies),
    );
  return withChangeFlags(command)
    .addHelpText('after', addExamples)
    .action(async (image: string, flags: Flags, self: Command) => {
      const plugin = pluginOf(checkedImage('IMAGE', image), flags.imagePullPolicy);
      await change(context, flags, self, `add plugin ${plugin.name}`, (place) => addPlugin(place, plugin));
    });
}

/** `lateen plugin remove NAME|IMAGE` (cli.md section 12) */
export function pluginRemoveCommand(context: CommandContext): Command {
  const command = new Command('remove')
    .description('Remove the plugins of an image from the server; its pod is restarted')
    .addArgument(completedArgument('<name|image>', 'init container, or image, of the plugins', installedPlugins));
  return withChangeFlags(command)
    .addHelpText('after', removeExamples)
    .action(async (name: string, flags: Flags, self: Command) => {
      await change(context, flags, self, `remove plugin ${name}`, async (place) => ({
        ...(await removePlugins(place, [name])),
        changed: true,
      }));
    });
}

const installedPlugins: FindCandidates = async ({ kube, global: { namespace }, signal }) => {
  const deployment = await readObject(await kube(), deploymentType, { namespace, name: controllerName }, signal);
  const plugins = deployment === undefined ? [] : pluginsOf(deployment.spec.template.spec);
  return plugins.map(({ name, image }) => ({ word: name, about: image }));
};

function withChangeFlags(command: Command): Command {
  withBooleanFlag(command, '--confirm', 'do not ask, even if running backups or restores would fail');
  return withBooleanFlag(command, '--wait', 'until the server runs again').option(
    '--timeout <duration>',
    'of --wait',
    '3m',
  );
}

async function change(
  context: CommandContext,
  { confirm, wait, timeout }: Flags,
  self: Command,
  title: string,
  act: (place: PluginPlace) => Promise<{ object: Deployment; changed: boolean }>,
): Promise<void> {
  const { stdout, signal, clock } = context;
  const global = self.optsWithGlobals<GlobalOptions>();
  const readyTimeoutMs = parseDuration('--timeout', timeout);
  const place = { kube: await context.connect(global), namespace: global.namespace, signal };
  if (confirm !== true) await askAboutRuns(place, title, context);
  const { object, changed } = await act(place);
  const deployment = `Deployment ${global.namespace}/${controllerName}`;
  stdout.write(`${changed ? 'configured' : 'unchanged'}  ${deployment}${pluginList(object)}\n`);
  if (wait !== true) return;
  const report = applyReport(context);
  try {
    await waitForRollouts(place.kube, [{ ...object }], { signal, clock, readyTimeoutMs, onProgress: report.onEvent });
  } finally {
    report.end();
  }
}

/** The controller's pod restarts, and the runs that it works on fail. */
async function askAboutRuns(place: PluginPlace, title: string, context: CommandContext): Promise<void> {
  const runs = await runsInTheWay(place);
  if (runs.length === 0) return;
  context.stderr.write(`The server restarts, and these fail: ${runs.map(titleOfWork).join(', ')}\n`);
  await askToConfirm(context, {
    question: `Really ${title} now?`,
    would: 'backups and restores that run would fail',
    undone: 'nothing was changed',
  });
}

const pluginList = ({ spec }: Deployment): string => {
  const names = pluginsOf(spec.template.spec).map(({ name }) => name);
  return names.length === 0 ? '  (no plugins)' : `  (plugins: ${names.join(', ')})`;
};
