import { resolve } from 'node:path';
import { byteSize } from '@lateen/errors';
import { downloadFile, findBackup, type LinkedFile } from '@lateen/operations/download';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { backupNames } from '../completion/object-names.ts';
import {
  type DownloadFlags,
  downloadOptions,
  readDownloadFlags,
  withDownloadFlags,
} from '../download/download-flags.ts';
import { checkSavePath, saveFile } from '../download/save-file.ts';
import { type LiveLine, liveLine } from '../output/live-line.ts';
import { progressLine } from '../output/progress-line.ts';

interface Flags extends DownloadFlags {
  output?: string;
  force?: boolean;
}

const examples = `
Examples:
  lateen backup download nightly-20260101020000
  lateen backup download nightly-20260101020000 -o /tmp/nightly.tar.gz --force`;

/** The shortest interval between two changes of the progress line. */
const progressEveryMs = 200;

/** `lateen backup download NAME` */
export function backupDownloadCommand(
  context: CommandContext,
  env: Readonly<Record<string, string | undefined>>,
): Command {
  const command = new Command('download')
    .description('Save the objects of a backup, a .tar.gz, to a file that only you may read; volumes are not in it')
    .addArgument(completedArgument('<name>', 'the backup', backupNames))
    .option('-o, --output <file>', 'file to write (default: NAME-data.tar.gz in this directory)')
    .option('--force', 'replace the file if it is there')
    .addHelpText('after', examples)
    .action(async (name: string, flags: Flags, self: Command) => {
      const { namespace, ...global } = self.optsWithGlobals<GlobalOptions>();
      const { clock, random, signal, stdout } = context;
      const read = await readDownloadFlags(flags);
      const path = resolve(flags.output ?? `${name}-data.tar.gz`);
      const force = flags.force === true;
      await checkSavePath(path, { force });
      const kube = await context.connect({ ...global, namespace });
      const { spec } = await findBackup(kube, { namespace, name }, signal);
      const what = { namespace, target: { kind: 'BackupContents', name }, location: spec.storageLocation } as const;
      const options = await downloadOptions(kube, what, read, env, signal);
      const line = liveLine(context.stderr);
      try {
        const save = (file: LinkedFile) => {
          const onProgress = context.stderr.isTTY === true ? progressOf(name, file, context, line) : undefined;
          return saveFile(path, file.pieces, { force, random, onProgress });
        };
        await downloadFile({ kube, clock, random }, options, save, signal);
      } finally {
        line.end();
      }
      stdout.write(`Backup ${name} has been successfully downloaded to ${path}\n`);
    });
  return withDownloadFlags(command, env);
}

/** Progress is shown on a terminal only: in a file the lines would be of no use. */
function progressOf(
  name: string,
  { totalBytes = 0 }: LinkedFile,
  { clock }: CommandContext,
  line: LiveLine,
): (bytesDone: number) => void {
  const startedMs = clock.monotonicMs();
  let shownMs = Number.NEGATIVE_INFINITY;
  return (bytesDone) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - shownMs < progressEveryMs && bytesDone !== totalBytes) return;
    shownMs = nowMs;
    const phase = totalBytes > 0 ? 'downloading' : `downloading  ${byteSize(bytesDone)}`;
    line.show(progressLine({ name, phase, bytesDone, totalBytes, elapsedMs: nowMs - startedMs }));
  };
}
