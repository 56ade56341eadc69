import type { ReplicaFacts, ReplicaLayers, SnapshotFact } from '@lateen/block-engine';
import type { Layer, LayerSnapshot, ReplicaRecord, ReplicaUsage } from '@lateen/replica-store';
import { volumeHead } from '@lateen/storage-types';

type Frozen = Layer & { readonly snapshot: LayerSnapshot };

const isFrozen = (layer: Layer): layer is Frozen => layer.snapshot !== undefined;

/** What a replica's record and files say, for the board. */
export function factsOf(record: ReplicaRecord, usage: ReplicaUsage): ReplicaFacts {
  return {
    actualBytes: usage.actualBytes,
    promisedGeneration: record.generation,
    recordState: record.state,
    ...(record.killedIn === 0 ? {} : { killedGeneration: record.killedIn }),
    snapshots: record.layers.filter(isFrozen).map((layer) => snapshotFact(record, layer, usage)),
  };
}

export function layersOf(record: ReplicaRecord, usage: ReplicaUsage, order: readonly string[]): ReplicaLayers {
  const head = record.layers.find(({ id }) => id === record.head);
  const frozen = record.layers.filter(isFrozen);
  const headParent = head === undefined ? undefined : parentOf(record, head);
  const layers = order.flatMap((name) => frozen.filter(({ snapshot }) => snapshot.name === name));
  return {
    sizeBytes: BigInt(record.sizeBytes),
    recordState: record.state,
    ...(headParent === undefined ? {} : { headParent }),
    headBytes: bytesOf(usage, record.head),
    layers: layers.map((layer) => ({ ...snapshotFact(record, layer, usage), volumeBytes: BigInt(layer.sizeBytes) })),
  };
}

function snapshotFact(record: ReplicaRecord, layer: Frozen, usage: ReplicaUsage): SnapshotFact {
  const { name, removed, userCreated, createdAt, labels, sum } = layer.snapshot;
  const parent = parentOf(record, layer);
  const children = record.layers.filter(({ parent: below }) => below === layer.id);
  return {
    name,
    ...(parent === undefined ? {} : { parent }),
    children: children.map(({ snapshot }) => snapshot?.name ?? volumeHead),
    removed,
    userCreated,
    created: createdAt,
    sizeBytes: bytesOf(usage, layer.id),
    labels,
    ...(sum === undefined ? {} : { sum: sum.sha256 }),
  };
}

const parentOf = (record: ReplicaRecord, { parent }: Layer): string | undefined =>
  parent === null ? undefined : record.layers.find(({ id }) => id === parent)?.snapshot?.name;

const bytesOf = ({ layers }: ReplicaUsage, layer: number): bigint => layers.find(({ id }) => id === layer)?.bytes ?? 0n;
