import { layerOf, replaceLayer } from './layer-tree.ts';
import type { ReplicaRecord } from './replica-record.ts';

/**
 * So many bytes of this layer's file are durable. Never less than was known of it: a file that is shorter than that was cut, and stays
 * known as such.
 */
export function withFileBytes(record: ReplicaRecord, id: number, fileBytes: number): ReplicaRecord {
  const layer = layerOf(record, id);
  if (fileBytes <= (layer.fileBytesMin ?? 0)) return record;
  return { ...record, layers: replaceLayer(record, { ...layer, fileBytesMin: fileBytes }) };
}
