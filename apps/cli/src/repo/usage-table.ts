import { byteSize, plainLine } from '@lateen/errors';
import type { OperationResults } from '@lateen/maintenance';
import { plainTable } from '../output/plain-table.ts';

type RepositoryUsage = OperationResults['usage'];
type VolumeUsage = RepositoryUsage['volumes'][number];

/** What one repository stores. */
export interface UsageOf {
  /** Name of the BackupRepository. */
  repository: string;
  usage: RepositoryUsage;
}

export const usageSortKeys = ['name', 'unique', 'shared', 'snapshots'] as const;
export type UsageSortKey = (typeof usageSortKeys)[number];

/** Sums over repositories; data that several volumes share counts once. Bytes. */
export interface UsageTotals {
  snapshots: number;
  uniqueBytes: number;
  sharedBytes: number;
  referencedBytes: number;
  reclaimableBytes: number;
}

export function usageTotals(usages: readonly UsageOf[]): UsageTotals {
  const sum = (value: (each: UsageOf) => number): number => usages.reduce((total, each) => total + value(each), 0);
  const perVolume = (value: (volume: VolumeUsage) => number): number =>
    sum(({ usage }) => usage.volumes.reduce((total, volume) => total + value(volume), 0));
  return {
    snapshots: perVolume(({ snapshots }) => snapshots),
    uniqueBytes: perVolume(({ uniqueBytes }) => uniqueBytes),
    sharedBytes: sum(({ usage }) => usage.sharedBytes),
    referencedBytes: sum(({ usage }) => usage.referencedBytes),
    reclaimableBytes: sum(({ usage }) => usage.reclaimableBytes),
  };
}

/** A row per volume, then the data that a repository could free, then the sums. */
export function usageTable(usages: readonly UsageOf[], sortBy: UsageSortKey): string[] {
  const volumes = usages
    .flatMap(({ repository, usage }) => usage.volumes.map((volume) => ({ repository, volume })))
    .sort((a, b) => compareUsage(a, b, sortBy));
  if (volumes.length === 0 && usages.every(({ usage }) => usage.reclaimableBytes === 0))
    return ['Nothing is stored there.'];
  const totals = usageTotals(usages);
  return plainTable(
    ['NAMESPACE', 'PVC', 'REPOSITORY', 'SNAPSHOTS', 'UNIQUE', 'SHARED', 'RECLAIMABLE'],
    [
      ...volumes.map(({ repository, volume }) => [
        plainLine(volume.namespace),
        plainLine(volume.persistentVolumeClaim || volume.source || ''),
        repository,
        String(volume.snapshots),
        byteSize(volume.uniqueBytes),
        byteSize(volume.sharedBytes),
        '',
      ]),
      ...usages
        .filter(({ usage }) => usage.reclaimableBytes > 0)
        .map(({ repository, usage }) => ['', '<none>', repository, '', '', '', byteSize(usage.reclaimableBytes)]),
      [
        'TOTAL',
        '',
        '',
        String(totals.snapshots),
        byteSize(totals.uniqueBytes),
        byteSize(totals.sharedBytes),
        byteSize(totals.reclaimableBytes),
      ],
    ],
  );
}

interface Row {
  repository: string;
  volume: VolumeUsage;
}

/** The largest first; by name when the sizes are equal. */
function compareUsage(a: Row, b: Row, key: UsageSortKey): number {
  const byFigure = {
    name: 0,
    unique: b.volume.uniqueBytes - a.volume.uniqueBytes,
    shared: b.volume.sharedBytes - a.volume.sharedBytes,
    snapshots: b.volume.snapshots - a.volume.snapshots,
  }[key];
  const text = ({ repository, volume }: Row): string =>
    `${volume.namespace}/${volume.persistentVolumeClaim || volume.source}/${repository}`;
  return byFigure || (text(a) < text(b) ? -1 : 1);
}
