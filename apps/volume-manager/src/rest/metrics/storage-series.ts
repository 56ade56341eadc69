import { type Condition, robustnesses, type Volume, volumeStates } from '@lateen/storage-types';
import { Gauge, type Registry } from 'prom-client';
import type { StorageReader } from '../reading/storage-reader.ts';
import { backupSeries } from './backup-series.ts';
import { isOwned, nameOf, numberOf, type Sample, type Series } from './series.ts';

const volumeLabels = ['node', 'volume', 'pvc', 'pvc_namespace'] as const;
const ofVolume = (volume: Volume, node: string) => {
  const { pvcName = '', namespace = '' } = volume.status?.kubernetesStatus ?? {};
  return { node, volume: nameOf(volume), pvc: pvcName, pvc_namespace: namespace };
};

/** One sample for each volume. */
const perVolume = (name: string, help: string, value: (volume: Volume) => number): Series => ({
  name,
  help,
  labels: volumeLabels,
  samples: (reader, node) =>
    reader
      .list('volumes')
      .filter(isOwned(node))
      .map((volume) => ({ labels: ofVolume(volume, node), value: value(volume) })),
});

/** One sample for each volume and value: 1 for the current one. */
const perWord = (name: string, help: string, words: readonly string[], is: (volume: Volume) => string): Series => ({
  name,
  help,
  labels: [...volumeLabels, 'state'],
  samples: (reader, node) =>
    reader
      .list('volumes')
      .filter(isOwned(node))
      .flatMap((volume) =>
        words.map((state) => ({
          labels: { ...ofVolume(volume, node), state },
          value: is(volume) === state ? 1 : 0,
        })),
      ),
});

type Disk = { readonly name: string; readonly capacity: number; readonly usage: number; readonly reservation: number };

function disksOf(reader: StorageReader, node: string): readonly Disk[] {
  const { spec, status } = reader.get('nodes', node) ?? {};
  return Object.entries(spec?.disks ?? {}).map(([name, { storageReserved = 0 }]) => {
    const { storageMaximum = 0, storageAvailable = 0 } = status?.diskStatus?.[name] ?? {};
    return { name, capacity: storageMaximum, usage: storageMaximum - storageAvailable, reservation: storageReserved };
  });
}

const perDisk = (value: 'capacity' | 'usage' | 'reservation', help: string): Series => ({
  name: `longhorn_disk_${value}_bytes`,
  help,
  labels: ['node', 'disk'],
  samples: (reader, node) =>
    disksOf(reader, node).map((disk) => ({ labels: { node, disk: disk.name }, value: disk[value] })),
});

const perNode = (value: 'capacity' | 'usage' | 'reservation', help: string): Series => ({
  name: `longhorn_node_storage_${value}_bytes`,
  help,
  labels: ['node'],
  samples: (reader, node) => [
    { labels: { node }, value: disksOf(reader, node).reduce((sum, disk) => sum + disk[value], 0) },
  ],
});

const conditionSample = (labels: Readonly<Record<string, string>>, condition: Condition): Sample => ({
  labels: { ...labels, condition: (condition.type ?? '').toLowerCase(), condition_reason: condition.reason ?? '' },
  value: condition.status === 'True' ? 1 : 0,
});

const nodeStatus: Series = {
  name: 'longhorn_node_status',
  help: 'Conditions of the node: 1 for True',
  labels: ['node', 'condition', 'condition_reason'],
  samples: (reader, node) =>
    (reader.get('nodes', node)?.status?.conditions ?? []).map((condition) => conditionSample({ node }, condition)),
};

const diskStatus: Series = {
  name: 'longhorn_disk_status',
  help: 'Conditions of the disks of the node: 1 for True',
  labels: ['node', 'disk', 'condition', 'condition_reason'],
  samples: (reader, node) =>
    Object.entries(reader.get('nodes', node)?.status?.diskStatus ?? {}).flatMap(([disk, { conditions }]) =>
      (conditions ?? []).map((condition) => conditionSample({ node, disk }, condition)),
    ),
};

const nodeCount: Series = {
  name: 'longhorn_node_count_total',
  help: 'Nodes of the volume manager',
  labels: [],
  samples: (reader) => [{ labels: {}, value: reader.list('nodes').length }],
};

/**
 * Named and labelled as in Longhorn's documentation, so that existing dashboards and alerts work. Only what objects contain: throughput and CPU time
 * are not here.
 */
const table: readonly Series[] = [
  perVolume('longhorn_volume_capacity_bytes', 'Bytes that the volume offers', ({ spec }) => numberOf(spec.size)),
  perVolume('longhorn_volume_actual_size_bytes', 'Bytes that head and snapshots of a replica take', ({ status }) =>
    numberOf(status?.actualSize),
  ),
  perWord(
    'longhorn_volume_state',
    'State of the volume: 1 for the one it is in',
    volumeStates,
    ({ status }) => status?.state ?? '',
  ),
  perWord(
    'longhorn_volume_robustness',
    'How safe the data is: 1 for what holds',
    robustnesses,
    ({ status }) => status?.robustness ?? '',
  ),
  nodeStatus,
  nodeCount,
  perNode('capacity', 'Bytes of all disks of the node'),
  perNode('usage', 'Bytes in use on all disks of the node, by whatever'),
  perNode('reservation', 'Bytes of all disks of the node that replicas may not use'),
  diskStatus,
  perDisk('capacity', 'Bytes of the disk'),
  perDisk('usage', 'Bytes in use on the disk, by whatever'),
  perDisk('reservation', 'Bytes of the disk that replicas may not use'),
  perVolume('longhorn_volume_last_backup_at', 'Time of the last backup in seconds since 1970; 0: none', ({ status }) =>
    numberOf(Date.parse(status?.lastBackupAt ?? '') / 1000),
  ),
  ...backupSeries,
];

/** Adds the series of volumes, nodes, disks and backups to `registry`; they are computed from the objects at each scrape. */
export function storageSeries(registry: Registry, reader: StorageReader, node: string): void {
  for (const { name, help, labels, samples } of table)
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset();
        for (const sample of samples(reader, node)) this.set(sample.labels, sample.value);
      },
    });
}
