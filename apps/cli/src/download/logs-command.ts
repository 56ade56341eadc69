import type { KubeApi } from '@lateen/kube';
import { downloadFile, type LogsSource } from '@lateen/operations/download';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { backupNames, restoreNames } from '../completion/object-names.ts';
import { type DownloadFlags, downloadOptions, readDownloadFlags, withDownloadFlags } from './download-flags.ts';
import { writeText } from './write-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type FindLogs = (kube: KubeApi, key: { namespace: string; name: string }, signal: AbortSignal) => Promise<LogsSource>;

/** `lateen backup logs NAME`, `lateen restore logs NAME`: streams the log to stdout. */
export function logsCommand(
  what: { noun: 'backup' | 'restore'; find: FindLogs },
  context: CommandContext,
  env: Environment,
): Command {
  const { noun, find } = what;
  const command = new Command('logs')
    .description(`Print the log of a ${noun} that has ended`)
    .addArgument(completedArgument('<name>', `the ${noun}`, noun === 'backup' ? backupNames : restoreNames))
    .addHelpText(
      'after',
      `\nExamples:\n  lateen ${noun} logs nightly-20260101020000\n  lateen ${noun} logs nightly-20260101020000 --timeout 5m --cacert ca.pem | grep level=error`,
    )
    .action(async (name: string, flags: DownloadFlags, self: Command) => {
      const { namespace, ...global } = self.optsWithGlobals<GlobalOptions>();
      const { clock, random, signal, stdout } = context;
      const read = await readDownloadFlags(flags);
      const kube = await context.connect({ ...global, namespace });
      const { kind, location } = await find(kube, { namespace, name }, signal);
      const target = { kind, name };
      const options = await downloadOptions(kube, { namespace, target, location }, read, env, signal);
      await downloadFile({ kube, clock, random }, options, ({ pieces }) => writeText(stdout, pieces, signal), signal);
    });
  return withDownloadFlags(command, env);
}
