import type { KubeApi } from '@lateen/kube';
import { downloadFile, type LogsSource, logsOfBackup, logsOfRestore } from '@lateen/operations/download';
import { findObject } from '@lateen/operations/noun';
import type { Run } from '@lateen/operations/run';
import { type BundlePart, type Redactor, redactedTail } from '@lateen/operations/support';
import { describedBackups } from '../backup/describe.ts';
import type { CommandContext } from '../command-context.ts';
import type { DescribedKind } from '../describe/describe-command.ts';
import { bringerOf } from '../download/bring-files.ts';
import { downloadOptions, type ReadFlags } from '../download/download-flags.ts';
import { describedRestores } from '../restore/describe.ts';

/** Where runs are read from, and how their files are downloaded. */
interface RunSource {
  kube: KubeApi;
  context: CommandContext;
  env: Readonly<Record<string, string | undefined>>;
  read: ReadFlags;
  namespace: string;
}

/** Log and description of the named backup and restore: `backups/NAME/…`, `restores/NAME/…`. */
export async function* runParts(
  source: RunSource,
  { backup, restore }: { backup?: string; restore?: string },
  redactor: Redactor,
): AsyncGenerator<BundlePart> {
  const { kube, namespace, context } = source;
  if (backup !== undefined) {
    const key = { namespace, name: backup };
    yield await described(source, describedBackups, backup, redactor);
    yield await collected(`backups/${backup}/log.txt`, context, () =>
      logText(source, backup, logsOfBackup(kube, key, context.signal), redactor),
    );
  }
  if (restore !== undefined) {
    const key = { namespace, name: restore };
    yield await described(source, describedRestores, restore, redactor);
    yield await collected(`restores/${restore}/log.txt`, context, () =>
      logText(source, restore, logsOfRestore(kube, key, context.signal), redactor),
    );
  }
}

function described<T extends Run, V extends string>(
  source: RunSource,
  kind: DescribedKind<T, V>,
  name: string,
  redactor: Redactor,
): Promise<BundlePart> {
  const { kube, context, env, read, namespace } = source;
  return collected(`${kind.noun.word}s/${name}/describe.txt`, context, async () => {
    const run = await findObject(kube, kind.noun, { namespace, name }, context.signal);
    const location = await kind.locationOf(kube, run, context.signal);
    const bring = await bringerOf(kube, { ...run.metadata, location }, read, context, env);
    const description = await kind.read(kube, run, bring, { details: true }, context.signal);
    return redactor.text(description.text());
  });
}

async function logText(
  { kube, context, env, read, namespace }: RunSource,
  name: string,
  found: Promise<LogsSource>,
  redactor: Redactor,
): Promise<string> {
  const { clock, random, signal } = context;
  const { kind, location } = await found;
  const options = await downloadOptions(kube, { namespace, target: { kind, name }, location }, read, env, signal);
  return await downloadFile({ kube, clock, random }, options, ({ pieces }) => redactedTail(pieces, redactor), signal);
}

/** The file, or the reason why it is missing. @throws the reason of an abort */
async function collected(path: string, { signal }: CommandContext, read: () => Promise<string>): Promise<BundlePart> {
  try {
    return { path, text: await read(), about: path.endsWith('log.txt') ? 'log' : 'description' };
  } catch (error) {
    signal.throwIfAborted();
    return { path, error };
  }
}
