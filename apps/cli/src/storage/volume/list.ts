import { volumeNoun } from '@lateen/operations/storage';
import { robustnesses, type Volume, volumeStates } from '@lateen/storage-types';
import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedOption } from '../../completion/completion.ts';
import { getCommand, type Only } from '../../output/get-command.ts';
import { openStorage } from '../open-storage.ts';
import { nodeNames, volumeNames } from '../storage-names.ts';
import { volumeColumns } from './volume-columns.ts';

const examples = `
Examples:
  lateen storage volume list
  lateen storage volume list --robustness degraded -o wide
  lateen storage volume get pvc-1 -o yaml`;

/** `lateen storage volume list [NAME…]` */
export function storageVolumeListCommand(context: CommandContext): Command {
  const only: readonly Only<Volume>[] = [
    {
      option: completedOption('--robustness <how>', robustnesses.join(', '), robustnesses),
      keeps: ({ status }, value) => (status?.robustness ?? 'unknown') === value,
    },
    {
      option: completedOption('--state <state>', volumeStates.join(', '), volumeStates),
      keeps: ({ status }, value) => status?.state === value,
    },
    {
      option: completedOption('--node <name>', 'only those that are attached there', nodeNames),
      keeps: ({ status }, value) => status?.currentNodeID === value,
    },
  ];
  const about = 'List replicated volumes: state, robustness, and where they are attached';
  const what = {
    noun: volumeNoun,
    about,
    examples,
    names: volumeNames,
    columns: volumeColumns,
    open: openStorage,
    only,
  };
  return getCommand(what, context, 'list').alias('get');
}
