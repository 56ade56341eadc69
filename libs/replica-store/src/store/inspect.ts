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
  /** Unused clusters in the head's file, left by a kill; they do no harm. Undefined when the replica was closed cleanly. */
  readonly leakedClusters: number | undefined;
}

/**
 * Compares the record with the files, and reads the head's tables when the replica was not closed cleanly. Changes nothing.
 * @throws AppError `REPLICA_CORRUPT` with what is wrong; never repaired automatically
 */
export async function inspectLayers(ports: SettlePorts, record: ReplicaRecord, o: Call): Promise<Inspection> {
  for (const layer of record.layers) await inspectLayer(ports, record, layer, o);
  if (record.servedIn === 0 && record.killedIn === 0) return { record, leakedClusters: undefined };
  const head = headOf(record).file;
  const found = await ports.blocks.check(head, o);
  if (found.corruptions > 0) throw corrupt(record, `${head} has ${found.corruptions} faults in its tables`);
  return { record, leakedClusters: found.leaks };
}

/** The same for one layer, without reading its tables. @throws AppError `REPLICA_CORRUPT` */
export async function inspectLayer(
  { folder, blocks }: SettlePorts,
  record: ReplicaRecord,
  layer: Layer,
  o: Call,
): Promise<void> {
  await isLongEnough(folder, record, layer);
  const info = await blocks.imageInfo(layer.file, o).catch((error: unknown) => {
    // An error that is not about the image says nothing about the replica.
    if (!isAppError(error, 'IMAGE_BROKEN')) throw error;
    throw corrupt(record, `${layer.file} is not a qcow2 image that can be read`, error);
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

/** The daemon opens a truncated file without an error: beyond its end it reads as zeros, or as the layers below. */
async function isLongEnough(folder: ReplicaFolder, record: ReplicaRecord, layer: Layer): Promise<void> {
  const { file, fileBytesMin = 0 } = layer;
  const sizeBytes = (await folder.facts(file))?.sizeBytes;
  if (sizeBytes === undefined || sizeBytes >= fileBytesMin) return;
  throw corrupt(record, `${file} was cut short: it has ${sizeBytes} bytes on disk, and had ${fileBytesMin}`);
}

/** An interrupted merge may have extended the file of a removed layer to the length of the merged data. */
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
