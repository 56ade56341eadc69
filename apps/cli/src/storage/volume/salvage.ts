import { AppError } from '@lateen/errors';
import { findObject } from '@lateen/operations/noun';
import {
  explainVolume,
  findSurroundings,
  inspectVolume,
  planSalvage,
  requestSalvage,
  type SalvagePlan,
  volumeNoun,
} from '@lateen/operations/storage';
import type { Volume } from '@lateen/storage-types';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import { collectList } from '../../collect-list.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { askToConfirm } from '../../confirm.ts';
import { badFlag } from '../../refuse-flag.ts';
import { type OpenedStorage, openStorage } from '../open-storage.ts';
import { replicaNames, volumeNames } from '../storage-names.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';

const examples = `
Examples:
  lateen storage volume describe pvc-1                      # says which replicas there are and why each failed
  lateen storage volume salvage pvc-1 --replica pvc-1-r-9c1e4b2a --wait`;

interface SalvageFlags extends WaitFlags {
  replica?: string[];
  confirm?: boolean;
}

/** `lateen storage volume salvage NAME --replica NAME…` */
export function storageVolumeSalvageCommand(context: CommandContext): Command {
  const replicas = completedOption(
    '--replica <names>',
    'replicas whose data are to be the data of the volume',
    replicaNames,
  ).argParser(collectList('--replica'));
  const command = new Command('salvage')
    .description('Salvage replicas of a faulted volume, if this does not happen automatically')
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames))
    .addOption(replicas);
  withBooleanFlag(command, '--confirm', 'do not ask');
  return withWaitFlags(command, 'it is no longer faulted')
    .addHelpText('after', examples)
    .action(async (name: string, flags: SalvageFlags, self: Command) => {
      const names = [...new Set(flags.replica ?? [])];
      if (names.length === 0)
        throw badFlag('--replica is required', `See which there are: lateen storage volume describe ${name}`);
      const { signal, stdout } = context;
      const opened = await openStorage(context, self);
      const { kube, namespace } = opened;
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
      if (flags.wait === true) await waitUntilUsable(context, opened, name, flags);
    });
}

/** @throws AppError STORAGE_TIMEOUT, with what the volume's manager is waiting for */
async function waitUntilUsable(context: CommandContext, opened: OpenedStorage, name: string, flags: SalvageFlags) {
  const { clock, signal } = context;
  const { kube, namespace } = opened;
  try {
    await waitFor(context, opened, usable(name), flags);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STORAGE_TIMEOUT') throw error;
    const volume = await findObject(kube, volumeNoun, { namespace, name }, signal);
    const surroundings = await findSurroundings(kube, namespace, signal);
    const { waitsFor } = explainVolume(await inspectVolume(kube, volume, surroundings, signal), clock.now());
    if (waitsFor === undefined) throw error;
    const nextStep = `See: ${usable(name).next}`;
    throw new AppError(error.code, `${error.message}; its manager waits: ${waitsFor}`, { nextStep, cause: error });
  }
}

const usable = (name: string) => ({
  noun: volumeNoun,
  name,
  goal: `volume ${name} is no longer faulted`,
  next: `lateen storage volume describe ${name}`,
  look: (seen: Volume | undefined) => {
    const { state = 'new', robustness = 'unknown' } = seen?.status ?? {};
    if (seen === undefined) return { waits: 'it is not there' };
    return robustness === 'faulted' ? { waits: `${state}, ${robustness}` } : ('done' as const);
  },
});

function questionOf(name: string, { mayLackWrites, leftOut, replicas }: SalvagePlan): string {
  const lacks =
    mayLackWrites.length === 0 ? '' : ` ${mayLackWrites.join(', ')} may lack writes that were acknowledged.`;
  const left = leftOut.length === 0 ? '' : ` ${leftOut.join(', ')}, which has all of them, is left out and rebuilt.`;
  return `The data of ${name} becomes that of ${replicas.join(', ')}.${lacks}${left} Continue?`;
}
