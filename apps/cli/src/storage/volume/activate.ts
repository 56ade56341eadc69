import { listAll } from '@lateen/kube';
import { changeObject, factsOf, unlessRefused, volumeNoun, withSpec } from '@lateen/operations/storage';
import { engineType, storageLabels, type Volume } from '@lateen/storage-types';
import { checkActivate } from '@lateen/volume-decisions';
import { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { openStorage } from '../open-storage.ts';
import { volumeNames } from '../storage-names.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';

const frontend = 'blockdev';

const examples = `
Examples:
  lateen storage volume activate follower --wait`;

/** `lateen storage volume activate NAME` */
export function storageVolumeActivateCommand(context: CommandContext): Command {
  const command = new Command('activate')
    .description('Activate a standby volume: the last available backup is restored, then it can be attached')
    .addArgument(completedArgument('<name>', 'name of the standby volume', volumeNames));
  return withWaitFlags(command, 'it can be attached')
    .addHelpText('after', examples)
    .action(async (name: string, flags: WaitFlags, self: Command) => {
      const opened = await openStorage(context, self);
      const { kube, namespace } = opened;
      const { signal, stdout } = context;
      const labelSelector = `${storageLabels.volume}=${name}`;
      const engines = await listAll(kube, engineType, { namespace, labelSelector, signal });
      const lastRestored = engines.items[0]?.status?.lastRestoredBackup ?? '';
      await changeObject({ ...opened, signal }, volumeNoun, name, (volume) => {
        unlessRefused(checkActivate(factsOf(volume), frontend, lastRestored));
        return withSpec(volume, { Standby: false, frontend });
      });
      stdout.write(`volume ${name} is being activated\n`);
      if (flags.wait === true) await waitFor(context, opened, activated(name), flags);
    });
}

const activated = (name: string) => ({
  noun: volumeNoun,
  name,
  goal: `volume ${name} can be attached`,
  next: `lateen storage volume describe ${name}`,
  look: (seen: Volume | undefined) => {
    const { restoreRequired, conditions } = seen?.status ?? {};
    if (restoreRequired === false) return 'done' as const;
    const restore = conditions?.find(({ type }) => type === 'Restore');
    return { waits: restore?.message || 'its last backup is being restored' };
  },
});
