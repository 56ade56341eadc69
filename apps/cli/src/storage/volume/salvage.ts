import { findObject } from '@lateen/operations/noun';
import { planSalvage, requestSalvage, type SalvagePlan, volumeNoun } from '@lateen/operations/storage';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import { collectList } from '../../collect-list.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { askToConfirm } from '../../confirm.ts';
import { badFlag } from '../../refuse-flag.ts';
import { openStorage } from '../open-storage.ts';
import { replicaNames, volumeNames } from '../storage-names.ts';

const examples = `
Examples:
  lateen storage volume describe pvc-1                      # says which replicas there are and why each failed
  lateen storage volume salvage pvc-1 --replica pvc-1-r-9c1e4b2a`;

/** `lateen storage volume salvage NAME --replica NAME…` */
export function storageVolumeSalvageCommand(context: CommandContext): Command {
  const replicas = completedOption(
    '--replica <names>',
    'replicas whose data are to be the data of the volume',
    replicaNames,
  ).argParser(collectList('--replica'));
  const command = new Command('salvage')
    .description('Take replicas of a faulted volume back, where that does not happen by itself')
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames))
    .addOption(replicas);
  return withBooleanFlag(command, '--confirm', 'do not ask')
    .addHelpText('after', examples)
    .action(async (name: string, flags: { replica?: string[]; confirm?: boolean }, self: Command) => {
      const names = [...new Set(flags.replica ?? [])];
      if (names.length === 0)
        throw badFlag('--replica is required', `See which there are: lateen storage volume describe ${name}`);
      const { signal, stdout } = context;
      const { kube, namespace } = await openStorage(context, self);
      const place = { kube, namespace, signal };
      const volume = await findObject(kube, volumeNoun, { namespace, name }, signal);
      const plan = await planSalvage(place, volume, names);
      if (flags.confirm !== true)
        await askToConfirm(context, {
          question: questionOf(name, plan),
          would: `${names.join(', ')} would become the data of ${name}`,
          undone: 'nothing was salvaged',
        });
      const changed = await requestSalvage(place, name, names);
      const said = changed ? 'are to be used again' : 'are to be used again already';
      stdout.write(
        `volume ${name}: the data of ${names.join(', ')} ${said}; see: lateen storage volume describe ${name}\n`,
      );
    });
}

function questionOf(name: string, { mayLackWrites, leftOut, replicas }: SalvagePlan): string {
  const lacks =
    mayLackWrites.length === 0 ? '' : ` ${mayLackWrites.join(', ')} may lack writes that were acknowledged.`;
  const left = leftOut.length === 0 ? '' : ` ${leftOut.join(', ')}, which has all of them, is left out and rebuilt.`;
  return `The data of ${name} become those of ${replicas.join(', ')}.${lacks}${left} Go on?`;
}
