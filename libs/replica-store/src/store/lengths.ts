import { layerOf, withFileBytes } from '../record/layer-tree.ts';
import type { Layer, ReplicaRecord } from '../record/replica-record.ts';
import type { ReplicaFolder } from './replica-folder.ts';

/**
 * The record with the present lengths of the files of these layers. These bytes are durable already: in the other order, a power
 * failure would make an intact replica look damaged. @throws the error of the disk
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
