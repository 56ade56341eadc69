import { layerOf, withFileBytes } from '../record/layer-tree.ts';
import type { Layer, ReplicaRecord } from '../record/replica-record.ts';
import type { ReplicaFolder } from './replica-folder.ts';

/**
 * The record with the lengths that the files of these layers have now. What it says is durable already: written in the other order, a power
 * cut would leave a sound replica that is taken for a damaged one. @throws what the disk says
 */
export async function withLengths(
  folder: ReplicaFolder,
  record: ReplicaRecord,
  layers: readonly Layer[],
): Promise<ReplicaRecord> {
  let known = record;
  for (const { id } of layers) {
    const { file, fileBytesMin = 0 } = layerOf(known, id);
    if (((await folder.facts(file))?.sizeBytes ?? 0) <= fileBytesMin) continue;
    known = withFileBytes(known, id, (await folder.durableBytes(file)) ?? 0);
  }
  return known;
}
