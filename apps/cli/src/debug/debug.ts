import { basename, resolve } from 'node:path';
import { controllerName, deploymentType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll, type PodLogs } from '@lateen/kube';
import { backupNoun } from '@lateen/operations/backup';
import { findObject } from '@lateen/operations/noun';
import { restoreNoun } from '@lateen/operations/restore';
import { type SupportBundlePorts, supportBundle, withoutSecretReads } from '@lateen/operations/support';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { backupNames, restoreNames } from '../completion/object-names.ts';
import { type DownloadFlags, readDownloadFlags, withDownloadFlags } from '../download/download-flags.ts';
import { checkSavePath, saveFile } from '../download/save-file.ts';
import { type StorageOptions, storageNamespaceOption } from '../storage/open-storage.ts';
import { runParts } from './run-parts.ts';
import { versionPart } from './version-part.ts';

interface Flags extends DownloadFlags {
  backup?: string;
  restore?: string;
  output?: string;
  force?: boolean;
  verbose?: boolean;
}

const examples = `
Examples:
  lateen debug
  lateen debug --backup nightly-20260101020000 --output /tmp/bundle.tar.gz
  lateen debug --restore shop-20260102030000 --verbose

In the bundle: nodes, workloads, Events and objects of velero.io and longhorn.io in the namespaces of Lateen and of the
volume manager, logs of their pods, versions, and log and description of the backup or restore that is named. Secrets are
never read. Values under the name of a secret, and signed links, are replaced, wherever they stand. Names of namespaces,
objects, buckets and hosts are in it: look through it before you pass it on.`;

/** `lateen debug` (docs/reference/cli.md section 14) */
export function debugCommand(context: CommandContext, env: Readonly<Record<string, string | undefined>>): Command {
  const command = new Command('debug')
    .description('Collect objects, Events, logs and versions for support, without secrets, in a .tar.gz')
    .addOption(completedOption('--backup <name>', 'add log and description of this backup', backupNames))
    .addOption(completedOption('--restore <name>', 'add log and description of this restore', restoreNames))
    .option('--output <file>', 'file to write (default: bundle-YYYY-MM-DD-HH-MM-SS.tar.gz in this directory)')
    .option('--force', 'replace the file if it is there')
    .option('--verbose', 'print each file of the bundle when it is collected')
    .addOption(storageNamespaceOption())
    .addHelpText('after', examples)
    .action(async (flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<StorageOptions>();
      const path = resolve(flags.output ?? `bundle-${timeInName(context.clock.now())}.tar.gz`);
      const force = flags.force === true;
      const read = await readDownloadFlags(flags);
      await checkSavePath(path, { force });
      const kube = withoutSecretReads(withLogs(await context.connect(global)));
      const { namespace, storageNamespace } = global;
      await requireServer(kube, namespace, context.signal);
      const run = { kube, context, env, read, namespace };
      await requireRuns(kube, namespace, flags, context.signal);
      const bundle = supportBundle(
        { kube, clock: context.clock },
        {
          folder: basename(path).replace(/\.tar\.gz$|\.tgz$/, ''),
          namespaces: [...new Set([namespace, storageNamespace])],
          more: async function* (redactor) {
            yield await versionPart(kube, context, namespace);
            yield* runParts(run, flags, redactor);
          },
          onPart: (line) => flags.verbose === true && context.stderr.write(`${line}\n`),
          signal: context.signal,
        },
      );
      await saveFile(path, bundle.pieces, { force, random: context.random }).catch((error: unknown) => {
        bundle.abort(error);
        throw error;
      });
      const { files, gaps } = await bundle.done;
      const missing = gaps === 0 ? '' : `, ${gaps} could not be collected`;
      context.stdout.write(`Bundle written to ${path}: ${files} files${missing}; contents.txt in it lists them.\n`);
    });
  return withDownloadFlags(command, env, '30s');
}

/** The time as in the file name of Velero's `debug`, in local time. */
function timeInName(ms: number): string {
  const now = new Date(ms);
  const parts = [now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds()];
  return [now.getFullYear(), ...parts.map((part) => String(part).padStart(2, '0'))].join('-');
}

function withLogs<K extends KubeApi & Partial<PodLogs>>(kube: K): K & PodLogs {
  if (kube.stream === undefined) throw new AppError('LOGS_NOT_READABLE', 'logs of pods cannot be read here');
  return kube as K & PodLogs;
}

/** @throws AppError SERVER_NOT_FOUND in Velero's words, when the namespace has neither Lateen nor Velero */
async function requireServer(kube: SupportBundlePorts['kube'], namespace: string, signal: AbortSignal): Promise<void> {
  const { items } = await listAll(kube, deploymentType, { namespace, signal });
  const isServer = items.some(
    ({ metadata: { name, labels = {} } }) => name === controllerName || labels.component === 'velero',
  );
  if (isServer) return;
  throw new AppError('SERVER_NOT_FOUND', `velero deployment does not exist in namespace: ${namespace}`, {
    nextStep: 'Give the namespace of Lateen or Velero with -n.',
  });
}

/** @throws AppError as `findObject`: a wrong name is reported before anything is collected */
async function requireRuns(kube: KubeApi, namespace: string, { backup, restore }: Flags, signal: AbortSignal) {
  if (backup !== undefined) await findObject(kube, backupNoun, { namespace, name: backup }, signal);
  if (restore !== undefined) await findObject(kube, restoreNoun, { namespace, name: restore }, signal);
}
