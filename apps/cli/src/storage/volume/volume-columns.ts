import { byteSize } from '@lateen/errors';
import type { Volume } from '@lateen/storage-types';
import type { ResourceColumn } from '../../output/resource-table.ts';
import { ageColumn, nameColumn, sizeText } from '../cells.ts';

/** `shop/data`, or empty. */
export function claimText({ status }: Volume): string {
  const { namespace = '', pvcName = '' } = status?.kubernetesStatus ?? {};
  return pvcName === '' ? '' : `${namespace}/${pvcName}`;
}

export const volumeColumns = (nowMs: number): readonly ResourceColumn<Volume>[] => [
  nameColumn(),
  {
    head: 'STATE',
    cell: ({ metadata, status }) => (metadata.deletionTimestamp === undefined ? (status?.state ?? 'new') : 'deleting'),
  },
  { head: 'ROBUSTNESS', cell: ({ status }) => status?.robustness ?? '' },
  { head: 'SIZE', cell: ({ spec }) => sizeText(spec.size) },
  { head: 'USED', cell: ({ status }) => byteSize(status?.actualSize ?? 0) },
  { head: 'REPLICAS', cell: ({ spec }) => String(spec.numberOfReplicas ?? '') },
  { head: 'NODE', cell: ({ status }) => status?.currentNodeID ?? '' },
  { head: 'CLAIM', cell: claimText },
  ageColumn(nowMs),
  { head: 'LOCALITY', cell: ({ spec }) => spec.dataLocality ?? '', wide: true },
  { head: 'LAST BACKUP', cell: ({ status }) => status?.lastBackupAt ?? '', wide: true },
  { head: 'MANAGER', cell: ({ status }) => status?.ownerID ?? '', wide: true },
];
