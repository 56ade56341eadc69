import { type Backup, backupStateOf } from '@lateen/storage-types';
import { backupsOfTransfer, backupTransferName } from '@lateen/volume-decisions';
import type { RoomContext } from '../../frame/room-context.ts';

type Facts = Pick<RoomContext, 'caches' | 'hosts'>;

export const nodeNames = ({ caches }: Pick<Facts, 'caches'>): string[] =>
  caches.nodes.list().map(({ metadata }) => metadata.name ?? '');

/** Transfers of the backup that are no longer current, on hosts that answer; all transfers of an ended backup. */
export function leftoversOf(context: Facts, backup: Backup): { readonly node: string; readonly name: string }[] {
  if ((backup.spec.snapshotName ?? '') === '') return [];
  const { name: of = '' } = backup.metadata;
  const counts = ['Completed', 'Error'].includes(backupStateOf(backup)) ? undefined : backupTransferName(backup);
  return nodeNames(context).flatMap((node) => {
    const { reach, instances } = context.hosts.facts(node);
    if (reach !== 'answers') return [];
    return instances
      .filter(({ kind, name }) => kind === 'transfer' && name !== counts && backupsOfTransfer(name).includes(of))
      .map(({ name }) => ({ node, name }));
  });
}
