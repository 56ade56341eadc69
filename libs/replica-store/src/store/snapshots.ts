import type { Call } from '../call.ts';
import { findSnapshot, headOf, keptSnapshot } from '../record/layer-tree.ts';
import { beginGrow, finishGrow } from '../record/record-grow.ts';
import { beginRevert, finishRevert } from '../record/record-revert.ts';
import {
  beginSnapshot,
  finishSnapshot,
  markRemoved,
  type NewSnapshot,
  takeBackSnapshot,
} from '../record/record-snapshot.ts';
import { pendingOf } from '../record/replica-record.ts';
import { replicaError } from '../replica-error.ts';
import { withLengths } from './lengths.ts';
import type { Replica } from './replica.ts';
import { chainFiles } from './settle.ts';

/** Everything that takes time, before the engine pauses: afterwards the overlay exists and is open. Safe to repeat. */
export const prepareSnapshot = (replica: Replica, wanted: NewSnapshot, o: Call): Promise<void> =>
  replica.exclusive(o, () => prepare(replica, wanted, o));

/**
 * Runs while the engine is paused. Afterwards writes go to the overlay. Taking the same snapshot again does nothing.
 * @throws AppError `SNAPSHOT_EXISTS` when another snapshot has this name
 */
export const takeSnapshot = (replica: Replica, wanted: NewSnapshot, o: Call): Promise<void> =>
  replica.exclusive(o, async () => {
    const present = findSnapshot(replica.record, wanted.name);
    if (present?.snapshot.createdAt === wanted.createdAt) return;
    await prepare(replica, wanted, o);
    const begun = pendingOf(replica.record, 'snapshot');
    if (begun !== undefined) await replica.ports.blocks.snapshotHead(begun.overlay.file, o);
    const frozen = finishSnapshot(replica.record);
    await replica.change(await withLengths(replica.ports.folder, frozen, [headOf(replica.record)]));
  });

async function prepare(replica: Replica, wanted: NewSnapshot, o: Call): Promise<void> {
  const { blocks } = replica.ports;
  const begun = pendingOf(replica.record, 'snapshot')?.snapshot;
  if (begun?.name === wanted.name && begun.createdAt === wanted.createdAt) return;
  await dropPrepared(replica, o);
  await needsOpen(replica, o);
  const { record } = replica;
  const next = beginSnapshot(record, wanted);
  await replica.change(next);
  const overlay = pendingOf(next, 'snapshot')?.overlay.file ?? '';
  await blocks.makeLayer(overlay, { ...o, sizeBytes: BigInt(record.sizeBytes), backingFile: headOf(record).file });
  await blocks.addLayer(overlay, o);
}

/** Drops a snapshot that was prepared and is no longer wanted. */
export const cancelSnapshot = (replica: Replica, o: Call): Promise<void> =>
  replica.exclusive(o, () => dropPrepared(replica, o));

async function dropPrepared(replica: Replica, o: Call): Promise<void> {
  const begun = pendingOf(replica.record, 'snapshot');
  if (begun === undefined) return;
  await replica.ports.blocks.dropAdded(begun.overlay.file, o);
  await replica.change(takeBackSnapshot(replica.record));
  await replica.tidy(o);
}

/** Marks a snapshot as no longer needed; a purge removes it. Does nothing when it does not exist. */
export const removeSnapshot = (replica: Replica, name: string, o: Call): Promise<void> =>
  replica.exclusive(o, async () => void (await replica.change(markRemoved(replica.record, name))));

/**
 * Makes the volume read as the snapshot. This removes the export of the head: the caller serves it again, and engines connect
 * again.
 * @throws AppError `SNAPSHOT_NOT_FOUND`
 */
export const revertTo = (replica: Replica, name: string, o: Call): Promise<void> =>
  replica.exclusive(o, async () => {
    const { blocks } = replica.ports;
    await needsOpen(replica, o);
    const parent = keptSnapshot(replica.record, name);
    await dropPrepared(replica, o);
    await blocks.unexportHead(o);
    const { record, file } = beginRevert(replica.record, name);
    await replica.change(record);
    await blocks.makeLayer(file, { ...o, sizeBytes: BigInt(record.sizeBytes), backingFile: parent.file });
    await replica.change(finishRevert(record, name, file));
    await blocks.close(o);
    await replica.tidy(o);
    await blocks.open(chainFiles(replica.record), o);
  });

/** Removes the export of the head, because the daemon does not resize an exported image. @throws AppError `SIZE_REFUSED` */
export const growTo = (replica: Replica, sizeBytes: bigint, o: Call): Promise<void> =>
  replica.exclusive(o, async () => {
    const { blocks } = replica.ports;
    if (BigInt(replica.record.sizeBytes) === sizeBytes) return;
    beginGrow(replica.record, sizeBytes) satisfies object; // Refuses before any connection is cut.
    await needsOpen(replica, o);
    await dropPrepared(replica, o);
    await blocks.unexportHead(o);
    await replica.change(beginGrow(replica.record, sizeBytes));
    await blocks.resizeHead(sizeBytes, o);
    await replica.change(finishGrow(replica.record));
  });

/** @throws AppError `NOT_POSSIBLE_NOW` */
export async function needsOpen(replica: Replica, o: Call): Promise<void> {
  if ((await replica.ports.blocks.live(o)) !== undefined) return;
  throw replicaError('NOT_POSSIBLE_NOW', `${replica.record.replica} is not open`, {
    retry: 'later',
    nextStep: 'Attach the volume.',
  });
}
