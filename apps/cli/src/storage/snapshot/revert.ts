import { findObject } from '@lateen/operations/noun';
import { askManager, factsOf, snapshotNoun, unlessRefused, volumeNoun } from '@lateen/operations/storage';
import { checkNotStandby, checkRevert } from '@lateen/volume-decisions';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { askToConfirm } from '../../confirm.ts';
import { type ManagerFlags, managerAccess, withManagerFlags } from '../manager-flags.ts';
import { openStorage } from '../open-storage.ts';
import { snapshotNames, volumeNames } from '../storage-names.ts';

const examples = `
Examples:
  lateen storage volume attach pvc-1 node-1 --disable-frontend --wait    # nothing may use it meanwhile
  kubectl port-forward -n longhorn-system service/longhorn-backend 9500 &
  lateen storage snapshot revert pvc-1 before-upgrade
  lateen storage volume detach pvc-1`;

/** `lateen storage snapshot revert VOLUME SNAPSHOT` */
export function snapshotRevertCommand(context: CommandContext): Command {
  const command = new Command('revert')
    .description('Revert a volume to a snapshot, through the REST interface of the manager')
    .addArgument(completedArgument('<volume>', 'name of the volume, attached without a device', volumeNames))
    .addArgument(completedArgument('<snapshot>', 'name of the snapshot', snapshotNames));
  withBooleanFlag(command, '--confirm', 'do not ask');
  return withManagerFlags(command)
    .addHelpText('after', examples)
    .action(async (name: string, snapshot: string, flags: ManagerFlags & { confirm?: boolean }, self: Command) => {
      const access = await managerAccess(flags);
      const { kube, namespace } = await openStorage(context, self);
      const { signal, stdout } = context;
      const volume = await findObject(kube, volumeNoun, { namespace, name }, signal);
      const found = await findObject(kube, snapshotNoun, { namespace, name: snapshot }, signal);
      unlessRefused(
        checkNotStandby(factsOf(volume), 'revert snapshot'),
        found.spec.volume === name
          ? undefined
          : `snapshot ${snapshot} is of volume ${found.spec.volume}, not of ${name}`,
        checkRevert(name, volume.status?.frontendDisabled === true),
      );
      if (flags.confirm !== true)
        await askToConfirm(context, {
          question: `Everything written to ${name} after ${found.status?.creationTime ?? 'the snapshot'} is lost, unless another snapshot has it. Continue?`,
          would: `${name} would be reverted to ${snapshot}`,
          undone: 'nothing was reverted',
        });
      await askManager(access, { volume: name, action: 'snapshotRevert', body: { name: snapshot } }, signal);
      stdout.write(`volume ${name} is reverted to snapshot ${snapshot}\n`);
    });
}
