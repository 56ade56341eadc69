import { plainLine } from '@lateen/errors';
import { orphanNoun } from '@lateen/operations/storage';
import { type Orphan, orphanParameters } from '@lateen/storage-types';
import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedOption } from '../../completion/completion.ts';
import { getCommand } from '../../output/get-command.ts';
import type { ResourceColumn } from '../../output/resource-table.ts';
import { ageColumn, conditionOf, nameColumn } from '../cells.ts';
import { storageDeleteCommand } from '../delete-command.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { nodeNames, orphanNames } from '../storage-names.ts';

/** The orphaned directory with its disk, or the process. */
function whatText({ spec: { parameters = {} } }: Orphan): string {
  const { dataName, diskPath, instanceName } = orphanParameters;
  const process = parameters[instanceName];
  if (process !== undefined) return plainLine(process);
  return plainLine(`${parameters[diskPath] ?? ''}/replicas/${parameters[dataName] ?? ''}`.replaceAll('//', '/'));
}

const cleanable = ({ status }: Orphan) => conditionOf(status?.conditions, 'DataCleanable');

const columns = (nowMs: number): readonly ResourceColumn<Orphan>[] => [
  nameColumn(),
  { head: 'TYPE', cell: ({ spec }) => spec.orphanType ?? '' },
  { head: 'NODE', cell: ({ spec }) => spec.nodeID ?? '' },
  { head: 'WHAT', cell: whatText },
  { head: 'DELETES DATA', cell: (orphan) => (cleanable(orphan)?.status === 'True' ? 'yes' : 'no') },
  ageColumn(nowMs),
  {
    head: 'WHY NOT',
    cell: (orphan) => (cleanable(orphan)?.status === 'True' ? '' : plainLine(cleanable(orphan)?.message ?? '')),
    wide: true,
  },
];

/** `lateen storage orphan …` */
export const storageOrphanCommand = (context: CommandContext): Command =>
  group(
    'orphan',
    'List and delete folders and processes on nodes that belong to no object',
    ['lateen storage orphan list -o wide', 'lateen storage orphan delete --all'],
    [
      getCommand(
        {
          noun: orphanNoun,
          about:
            'List what was found on nodes and belongs to no object; with -o wide also why deleting it would keep the data',
          examples: '\nExamples:\n  lateen storage orphan list --node node-1',
          names: orphanNames,
          columns,
          open: openStorage,
          only: [
            {
              option: completedOption('--node <name>', 'only those on the node', nodeNames),
              keeps: ({ spec }: Orphan, value: string) => spec.nodeID === value,
            },
          ],
        },
        context,
        'list',
      ).alias('get'),
      storageDeleteCommand<Orphan>(
        {
          noun: orphanNoun,
          about: 'Delete what was found, with the data where that is safe',
          examples: '\nExamples:\n  lateen storage orphan delete --all --confirm',
          names: orphanNames,
          describe: (orphan) =>
            `${orphan.metadata.name}: ${whatText(orphan)} on ${orphan.spec.nodeID}; ${cleanable(orphan)?.status === 'True' ? 'its data is deleted' : `its data stays: ${plainLine(cleanable(orphan)?.message ?? 'the manager has not confirmed that it may be deleted')}`}`,
        },
        context,
      ),
    ],
  );
