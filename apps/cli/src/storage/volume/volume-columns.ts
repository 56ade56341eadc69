import { byteSize } from '@lateen/errors';
import { int64Of, type Volume } from '@lateen/storage-types';
import { age } from '../../output/age.ts';
import type { ResourceColumn } from '../../output/resource-table.ts';

export const sizeText = (text: string | undefined): string => {
  const bytes = int64Of(text);
  return bytes === undefined ? (text ?? '') : byteSize(Number(bytes));
};

export const ageOf = (created: string | null | undefined, nowMs: number): string =>
  typeof created === 'string' ? age(nowMs - Date.parse(created)) : '<unknown>';

/** `shop/data`, or empty. */
export function claimText({ status }: Volume): string {
  const { namespace = '', pvcName = '' } = status?.kubernetesStatus ?? {};
  return pvcName === '' ? '' : `${namespace}/${pvcName}`;
}

export const volumeColumns = (nowMs: number): readonly ResourceColumn<Volume>[] => [
  { head: 'NAME', cell: ({ metadata }) => metadata.name ?? '' },
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
  { head: 'AGE', cell: ({ metadata }) => ageOf(metadata.creationTimestamp, nowMs) },
  { head: 'LOCALITY', cell: ({ spec }) => spec.dataLocality ?? '', wide: true },
  { head: 'LAST BACKUP', cell: ({ status }) => status?.lastBackupAt ?? '', wide: true },
  { head: 'MANAGER', cell: ({ status }) => status?.ownerID ?? '', wide: true },
];
