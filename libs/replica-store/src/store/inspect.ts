import { isAppError } from '@lateen/errors';
import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import { fileBelow, headOf } from '../record/layer-tree.ts';
import type { Layer, ReplicaRecord } from '../record/replica-record.ts';
import { replicaError } from '../replica-error.ts';
import type { ReplicaFolder } from './replica-folder.ts';
import type { SettlePorts } from './settle.ts';

export interface Inspection {
  readonly record: ReplicaRecord;
  /** Room in the head's file that nobody uses: left by a kill, no fault. Undefined when the last end was in order. */
  readonly leakedClusters: number | undefined;
}

/**
 * Compares the record with the files, and reads the head's tables when the last end was not in order. Changes nothing.
 * @throws AppError `REPLICA_CORRUPT` with what is wrong; never repaired by itself
 */
export async function inspectLayers(ports: SettlePorts, record: ReplicaRecord, o: Call): Promise<Inspection> {
  for (const layer of record.layers) await inspectLayer(ports, record, layer, o);
  if (record.servedIn === 0 && record.killedIn === 0) return { record, leakedClusters: undefined };
  const head = headOf(record).file;
  const found = await ports.blocks.check(head, o);
  if (found.corruptions > 0) throw corrupt(record, `${head} has ${found.corruptions} faults in its tables`);
  return { record, leakedClusters: found.leaks };
}

/** Of one layer; the tables are not read. @throws AppError `REPLICA_CORRUPT` */
export async function inspectLayer(
  { folder, blocks }: SettlePorts,
  record: ReplicaRecord,
  layer: Layer,
  o: Call,
): Promise<void> {
  await isLongEnough(folder, record, layer);
  const info = await blocks.imageInfo(layer.file, o).catch((error: unknown) => {
    // What is no word about the image is none about the replica.
    if (!isAppError(error, 'IMAGE_BROKEN')) throw error;
    throw corrupt(record, `${layer.file} is no qcow2 image that can be read`, error);
  });
  if (info === undefined) throw corrupt(record, `${layer.file} is not there`);
  if (!info.extendedL2 || info.clusterBytes !== replicaLimits.clusterBytes) {
    throw corrupt(record, `${layer.file} was made with other units than those that a rebuild can work on`);
  }
  const below = fileBelow(record, layer);
  const isRelinking = record.pending.some((one) => one.kind === 'relink' && one.layer === layer.id);
  if (info.backingFile !== below && !isRelinking) {
    throw corrupt(
      record,
      `${layer.file} names ${info.backingFile ?? 'nothing'} below it instead of ${below ?? 'nothing'}`,
    );
  }
  if (!hasRightSize(record, layer, info.sizeBytes)) {
    throw corrupt(record, `${layer.file} has ${info.sizeBytes} bytes instead of ${layer.sizeBytes}`);
  }
}

/** The daemon opens a file that was cut short like any other: what is beyond its end reads as zeros, or as the layers below. */
async function isLongEnough(folder: ReplicaFolder, record: ReplicaRecord, layer: Layer): Promise<void> {
  const { file, fileBytesMin = 0 } = layer;
  const sizeBytes = (await folder.facts(file))?.sizeBytes;
  if (sizeBytes === undefined || sizeBytes >= fileBytesMin) return;
  throw corrupt(record, `${file} was cut short: it has ${sizeBytes} bytes on disk, and had ${fileBytesMin}`);
}

/** A merge that was cut off may have made the file of a removed layer as long as what is written into it. */
function hasRightSize(record: ReplicaRecord, layer: Layer, sizeBytes: bigint): boolean {
  if (sizeBytes === BigInt(layer.sizeBytes)) return true;
  const isRemoved = layer.snapshot?.removed === true;
  return isRemoved && sizeBytes > BigInt(layer.sizeBytes) && sizeBytes <= BigInt(record.sizeBytes);
}

const corrupt = (record: ReplicaRecord, what: string, cause?: unknown) =>
  replicaError('REPLICA_CORRUPT', `${record.replica} is damaged: ${what}`, {
    cause,
    nextStep:
      'Check the disk and its file system. While another replica has the data, this one is rebuilt from it; nothing was changed here.',
  });
