import { plainLine } from '@lateen/errors';
import { attachmentNoun, engineNoun, instanceManagerNoun, replicaNoun } from '@lateen/operations/storage';
import {
  type Engine,
  type InstanceManager,
  type Replica,
  storageAnnotations,
  type VolumeAttachmentObject,
} from '@lateen/storage-types';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { getCommand, type Only } from '../output/get-command.ts';
import type { ResourceColumn } from '../output/resource-table.ts';
import { ageColumn, nameColumn, yesNo } from './cells.ts';
import { openStorage } from './open-storage.ts';
import {
  attachmentNames,
  engineNames,
  instanceManagerNames,
  nodeNames,
  replicaNames,
  volumeNames,
} from './storage-names.ts';

type OfVolume = Replica | Engine;

const ofVolume = <T extends OfVolume>(): Only<T> => ({
  option: completedOption('--volume <name>', 'only those of the volume', volumeNames),
  keeps: ({ spec }, value) => spec.volumeName === value,
});

const onNode = <T extends Replica | Engine | InstanceManager>(): Only<T> => ({
  option: completedOption('--node <name>', 'only those on the node', nodeNames),
  keeps: ({ spec }, value) => spec.nodeID === value,
});

const replicaColumns = (nowMs: number): readonly ResourceColumn<Replica>[] => [
  nameColumn(),
  { head: 'VOLUME', cell: ({ spec }) => spec.volumeName ?? '' },
  { head: 'NODE', cell: ({ spec }) => spec.nodeID ?? '' },
  { head: 'DISK', cell: ({ spec }) => spec.diskPath ?? '' },
  { head: 'STATE', cell: replicaState },
  { head: 'PROCESS', cell: ({ status }) => status?.currentState ?? '' },
  ageColumn(nowMs),
  { head: 'FOLDER', cell: ({ spec }) => spec.dataDirectoryName ?? '', wide: true },
  {
    head: 'CAUSE',
    cell: ({ metadata }) => plainLine(metadata.annotations?.[storageAnnotations.failureCause] ?? ''),
    wide: true,
  },
];

/** The state without the engine's view; `volume describe` shows more. */
function replicaState({ metadata, spec }: Replica): string {
  if (metadata.deletionTimestamp !== undefined) return 'deleting';
  if ((spec.failedAt ?? '') !== '') return 'failed';
  if ((spec.nodeID ?? '') === '') return 'no place';
  return (spec.healthyAt ?? '') === '' ? 'no data yet' : 'healthy';
}

export const replicaListCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: replicaNoun,
      about: 'List the copies of volumes: where each is, and whether it can be used; with -o wide also why not',
      examples: `
Examples:
  lateen storage replica list --volume pvc-1 -o wide
  lateen storage replica list --node node-2`,
      names: replicaNames,
      columns: replicaColumns,
      open: openStorage,
      only: [ofVolume<Replica>(), onNode<Replica>()],
    },
    context,
    'list',
  ).alias('get');

const engineColumns = (nowMs: number): readonly ResourceColumn<Engine>[] => [
  nameColumn(),
  { head: 'VOLUME', cell: ({ spec }) => spec.volumeName ?? '' },
  { head: 'NODE', cell: ({ spec }) => spec.nodeID ?? '' },
  { head: 'STATE', cell: ({ status }) => status?.currentState ?? '' },
  { head: 'START', cell: ({ metadata }) => metadata.annotations?.[storageAnnotations.generation] ?? '0' },
  {
    head: 'REPLICAS',
    cell: ({ status }) =>
      Object.entries(status?.replicaModeMap ?? {})
        .map(([name, mode]) => `${name}=${mode}`)
        .sort()
        .join(','),
  },
  { head: 'DEVICE', cell: ({ status }) => status?.endpoint ?? '' },
  ageColumn(nowMs),
];

export const engineListCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: engineNoun,
      about: 'List the engines of volumes: where each runs and which replicas it uses',
      examples: `
Examples:
  lateen storage engine list
  lateen storage engine list --volume pvc-1 -o yaml`,
      names: engineNames,
      columns: engineColumns,
      open: openStorage,
      only: [ofVolume<Engine>(), onNode<Engine>()],
    },
    context,
    'list',
  ).alias('get');

const instanceManagerColumns = (nowMs: number): readonly ResourceColumn<InstanceManager>[] => [
  nameColumn(),
  { head: 'NODE', cell: ({ spec }) => spec.nodeID ?? '' },
  { head: 'STATE', cell: ({ status }) => status?.currentState ?? '' },
  { head: 'ENGINES', cell: ({ status }) => String(Object.keys(status?.instanceEngines ?? {}).length) },
  { head: 'REPLICAS', cell: ({ status }) => String(Object.keys(status?.instanceReplicas ?? {}).length) },
  ageColumn(nowMs),
  { head: 'ADDRESS', cell: ({ status }) => status?.ip ?? '', wide: true },
  { head: 'IMAGE', cell: ({ spec }) => spec.image ?? '', wide: true },
];

export const instanceManagerListCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: instanceManagerNoun,
      about: 'List the pods that engines and replicas run in, one on each node',
      examples: `
Examples:
  lateen storage instance-manager list
  lateen storage instance-manager list --node node-1 -o wide`,
      names: instanceManagerNames,
      columns: instanceManagerColumns,
      open: openStorage,
      only: [onNode<InstanceManager>()],
    },
    context,
    'list',
  ).alias('get');

const attachmentColumns = (nowMs: number): readonly ResourceColumn<VolumeAttachmentObject>[] => [
  { head: 'VOLUME', cell: ({ spec }) => spec.volume },
  {
    head: 'TICKETS',
    cell: ({ spec }) =>
      Object.values(spec.attachmentTickets ?? {})
        .map(({ type, nodeID }) => `${type}@${nodeID}`)
        .sort()
        .join(','),
  },
  {
    head: 'SATISFIED',
    cell: ({ spec, status }) =>
      Object.keys(spec.attachmentTickets ?? {}).length === 0
        ? ''
        : yesNo(
            Object.keys(spec.attachmentTickets ?? {}).every(
              (id) => status?.attachmentTicketStatuses?.[id]?.satisfied === true,
            ),
          ),
  },
  ageColumn(nowMs),
];

export const attachmentListCommand = (context: CommandContext): Command =>
  getCommand(
    {
      noun: attachmentNoun,
      about: 'List which client requests which volume on which node',
      examples: `
Examples:
  lateen storage attachment list
  lateen storage attachment list pvc-1 -o yaml`,
      names: attachmentNames,
      columns: attachmentColumns,
      open: openStorage,
    },
    context,
    'list',
  ).alias('get');
