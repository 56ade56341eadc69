import { AppError } from '@lateen/errors';
import {
  describeForeign,
  endMovements,
  findInstallation,
  type Installation,
  leftoversOf,
  refuseProtected,
  removeInstallation,
  saveRepositoryPassword,
} from '@lateen/operations/installation';
import { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { askToConfirm } from '../confirm.ts';
import { liveLine } from '../output/live-line.ts';
import { parseDuration } from '../parse-duration.ts';
import { describeRemoval, passwordWarning } from './describe-removal.ts';
import { uninstallVolumeManager } from './uninstall-volume-manager.ts';

interface Flags {
  force?: boolean;
  confirm?: boolean;
  keepCrds?: boolean;
  dryRun?: boolean;
  volumeManager?: boolean;
  saveRepositoryPassword?: string;
  timeout: string;
}

const examples = `
Examples:
  lateen uninstall
  lateen uninstall --confirm --save-repository-password ./repository-password.yaml
  lateen uninstall --keep-crds -n backup
  lateen uninstall --volume-manager`;

/** `lateen uninstall` */
export function uninstallCommand(context: CommandContext): Command {
  const command = new Command('uninstall')
    .description('Remove Lateen, its namespace, rights and definitions from a cluster; what is in the bucket stays')
    .addHelpText('after', examples);
  withBooleanFlag(command, '--confirm', 'do not ask');
  withBooleanFlag(
    command,
    '--force',
    "do not ask; continue when movements do not end, or the namespace holds objects that are not Lateen's",
  );
  withBooleanFlag(command, '--keep-crds', 'leave the CustomResourceDefinitions');
  withBooleanFlag(
    command,
    '--volume-manager',
    'remove the manager of replicated volumes instead, in longhorn-system; refused while there are such volumes',
  );
  withBooleanFlag(command, '--dry-run', 'change nothing; show what would be removed');
  return command
    .option(
      '--save-repository-password <file>',
      'write the Secret with the password of the repositories to a new file first',
    )
    .option('--timeout <duration>', 'of each wait', '5m')
    .action(async (flags: Flags, self: Command) => {
      const global = self.optsWithGlobals<GlobalOptions>();
      refuseProtected(global.namespace);
      const timeoutMs = parseDuration('--timeout', flags.timeout);
      if (flags.volumeManager === true) return await uninstallVolumeManager(flags, global, timeoutMs, context);
      await uninstall(flags, global, timeoutMs, context);
    });
}

async function uninstall(
  flags: Flags,
  global: GlobalOptions,
  timeoutMs: number,
  context: CommandContext,
): Promise<void> {
  const { signal, stdout, stderr, clock } = context;
  const kube = await context.connect(global);
  const found = await findInstallation(kube, global.namespace, signal);
  const lines = describeRemoval(found, { keepCrds: flags.keepCrds === true });
  if (isEmpty(found, flags)) {
    stdout.write(`Nothing of Lateen is in namespace ${global.namespace}.\n`);
    return;
  }
  for (const line of lines) stderr.write(`to be ${line}\n`);
  const password = flags.saveRepositoryPassword === undefined ? passwordWarning(found) : undefined;
  if (password !== undefined) stderr.write(`warning: ${password}\n`);
  if (flags.dryRun === true) return;
  refuseForeign(found, flags);
  if (flags.confirm !== true && flags.force !== true)
    await askToConfirm(context, {
      question: 'Remove all this?',
      would: 'all this would be removed',
      undone: 'nothing was removed',
    });
  if (flags.saveRepositoryPassword !== undefined && found.hasPassword)
    await saveRepositoryPassword(kube, global.namespace, flags.saveRepositoryPassword, signal);
  const line = liveLine(stderr);
  const onWaiting = (text: string): void => line.show(`waiting for ${text}`);
  const onRemoved = (title: string): void => {
    line.end();
    stdout.write(`removed  ${title}\n`);
  };
  const waiting = { kube, clock, signal, timeoutMs, onWaiting, onRemoved };
  try {
    const force = flags.force === true;
    const left = await endMovements(kube, global.namespace, found.running, { ...waiting, force });
    line.end();
    if (left.length > 0) stderr.write(`warning: ${left.join(', ')} did not end and are removed unfinished.\n`);
    await removeInstallation(found, flags.keepCrds === true, waiting);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError(
      'INTERRUPTED',
      'stopped; what is removed stays removed; run the same command again to remove the rest',
    );
  } finally {
    line.end();
  }
  for (const left of await leftoversOf(kube, global.namespace, signal))
    stderr.write(`warning: ${left} of namespace ${global.namespace} is still there.\n`);
  stdout.write('Lateen is removed. What is stored in the bucket is untouched.\n');
}

/**
 * Definitions alone belong to another installation, or are left over from ours and unused: only in the second case is there
 * something to do.
 */
function isEmpty({ namespace, rights, definitions, othersUsingKinds }: Installation, { keepCrds }: Flags): boolean {
  if (namespace !== undefined || rights.length > 0) return false;
  return keepCrds === true || definitions.length === 0 || othersUsingKinds.length > 0;
}

/** @throws AppError NAMESPACE_SHARED, or NAMESPACE_UNSEEN when it cannot be checked */
function refuseForeign({ foreign, unseen, namespaceName }: Installation, { force }: Flags): void {
  if (force === true || foreign.length + unseen.length === 0) return;
  if (foreign.length === 0)
    throw new AppError(
      'NAMESPACE_UNSEEN',
      `what is in namespace ${namespaceName} cannot all be seen: ${unseen.join('; ')}`,
      { nextStep: 'Use an account that may list everything there; --force deletes without listing.' },
    );
  const what = describeForeign({ foreign, unseen }).join(', ');
  throw new AppError('NAMESPACE_SHARED', `namespace ${namespaceName} holds what is not Lateen's: ${what}`, {
    nextStep: 'Move it away first; --force deletes it too.',
  });
}
