import { defaultNamespace } from '@lateen/api-types';
import { type Command, Option } from 'commander';
import { withBooleanFlag } from './boolean-flag.ts';
import { completedOption } from './completion/completion.ts';
import { contextNames, namespaceNames } from './completion/object-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Flags of velero's logger (klog). Scripts may pass them; this program has no log of its own, so they have no effect, and
 * `--help` does not list them.
 */
const klogFlags = [
  '-v, --v <number>',
  '--add_dir_header',
  '--alsologtostderr',
  '--log_backtrace_at <place>',
  '--log_dir <directory>',
  '--log_file <file>',
  '--log_file_max_size <megabytes>',
  '--logtostderr',
  '--one_output',
  '--skip_headers',
  '--skip_log_headers',
  '--stderrthreshold <severity>',
  '--vmodule <modules>',
] as const;

/** Adds the flags that every command takes (docs/reference/cli.md section 1). */
export function addGlobalFlags(program: Command, env: Environment): void {
  program
    .option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG, then ~/.kube/config, then in-cluster)')
    .addOption(completedOption('--context <name>', 'context of the kubeconfig', contextNames))
    .addOption(completedOption('--kubecontext <name>', 'the same; the name that Velero gives this flag', contextNames))
    .addOption(
      completedOption('-n, --namespace <name>', 'namespace that Lateen runs in', namespaceNames).default(
        env.VELERO_NAMESPACE ?? defaultNamespace,
      ),
    )
    .option(
      '--features <names>',
      'features to enable; "install" knows EnableAPIGroupVersions, EnableCSI is always on, other commands have none',
    );
  withBooleanFlag(program, '--colorized', 'colours on a terminal (default: true, unless NO_COLOR is set)');
  for (const flag of klogFlags) program.addOption(new Option(flag).hideHelp());
}

/** The environment for commands; `--colorized`, once it is parsed, overrides the colour setting for all of them. */
export function environmentOf(program: Command, env: Environment): Environment {
  const seen: Record<string, string | undefined> = { ...env };
  program.hook('preAction', () => {
    const { colorized } = program.opts<{ colorized?: boolean }>();
    if (colorized !== undefined) seen.NO_COLOR = colorized ? '' : '1';
  });
  return seen;
}
