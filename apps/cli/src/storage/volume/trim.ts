import { listAll } from '@lateen/kube';
import { findObject } from '@lateen/operations/noun';
import { askManager, unlessRefused, volumeNoun } from '@lateen/operations/storage';
import { engineType, storageLabels } from '@lateen/storage-types';
import { checkEngineIsRunning } from '@lateen/volume-decisions';
import { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { type ManagerFlags, managerAccess, withManagerFlags } from '../manager-flags.ts';
import { openStorage } from '../open-storage.ts';
import { volumeNames } from '../storage-names.ts';

const examples = `
Examples:
  kubectl port-forward -n longhorn-system service/longhorn-backend 9500 &
  lateen storage volume trim pvc-1`;

/** `lateen storage volume trim NAME` */
export function storageVolumeTrimCommand(context: CommandContext): Command {
  const command = new Command('trim')
    .description(
      'Release the space that the file system of an attached volume has freed, through the REST interface of the manager',
    )
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames));
  return withManagerFlags(command)
    .addHelpText('after', examples)
    .action(async (name: string, flags: ManagerFlags, self: Command) => {
      const access = await managerAccess(flags);
      const { kube, namespace } = await openStorage(context, self);
      const { signal, stdout } = context;
      await findObject(kube, volumeNoun, { namespace, name }, signal);
      const labelSelector = `${storageLabels.volume}=${name}`;
      const { items } = await listAll(kube, engineType, { namespace, labelSelector, signal });
      unlessRefused(
        checkEngineIsRunning(
          name,
          items.some(({ status }) => status?.currentState === 'running'),
        ),
      );
      await askManager(access, { volume: name, action: 'trimFilesystem', body: {} }, signal);
      stdout.write(`volume ${name} is trimmed\n`);
    });
}
