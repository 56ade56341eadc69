import type { StatusLink } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import type { Call } from '../call.ts';
import { findSnapshot, replaceLayer, withoutSum } from '../record/layer-tree.ts';
import { closedRecord, needsWholeHead } from '../record/record-kill.ts';
import { addCopied, attachHead, dropTree, beginRebuild as rebuildRecord } from '../record/record-rebuild.ts';
import { layerFile, type ReplicaRecord } from '../record/replica-record.ts';
import { replicaError } from '../replica-error.ts';
import { inspectLayer } from '../store/inspect.ts';
import { liveOrKilled } from '../store/kill.ts';
import { withLengths } from '../store/lengths.ts';
import type { Replica } from '../store/replica.ts';
import { chainFiles, copiesTakenBack, settle } from '../store/settle.ts';
import { type CopyPace, copyLayer, sumLayer } from './copy-layer.ts';
import { planCopy, type SourceLayer } from './plan-copy.ts';

/** Another replica, as the replica that is being rebuilt sees it. */
export interface LayerSource {
  /** Each layer comes after its parent. */
  layers(o: Call): Promise<readonly SourceLayer[]>;
  /** Opens a layer alone. Until the link is disposed, the source does not merge. */
  open(snapshot: string, o: Call): Promise<StatusLink>;
}

/** Replaces the stale head by an empty one with no layer below it, and opens it. The caller serves it next. */
export const beginRebuild = (replica: Replica, sizeBytes: bigint, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    const { blocks } = replica.ports;
    await blocks.unexportHead(o);
    await blocks.close(o);
    await replica.change(rebuildRecord(replica.record, sizeBytes));
    await replica.change(await settle(replica.ports, replica.record, o));
    await blocks.open(chainFiles(replica.record), o);
    return replica.record;
  });

export interface LayerProgress {
  readonly snapshot: string;
  /** Id of the copied layer. */
  readonly layer: number;
  readonly layers: number;
  readonly copiedBytes: number;
}

export type PullPace = Omit<CopyPace, 'onProgress' | 'clock'> & { onProgress?(progress: LayerProgress): void };

/**
 * Copies the layers of the source to this replica, one after the other; layers that are here with the same sum stay. Other calls
 * may run in between, and the head keeps taking writes. After an error the next call continues with the layer that was being
 * copied. Only one call at a time.
 */
export async function pullLayers(replica: Replica, source: LayerSource, o: PullPace): Promise<void> {
  const wanted = await source.layers(o);
  const plan = await replica.exclusive(o, async () => {
    if (replica.record.state !== 'rebuilding') {
      throw replicaError('NOT_POSSIBLE_NOW', `${replica.record.replica} is not being rebuilt`);
    }
    const sound = await withSoundSums(replica, o);
    const planned = planCopy(sound, wanted);
    let rest = copiesTakenBack(sound);
    for (const id of planned.drop) if (rest.layers.some((layer) => layer.id === id)) rest = dropTree(rest, id);
    await replica.change(rest);
    await replica.tidy(o);
    return planned;
  });
  for (const [layer, one] of plan.copy.entries()) {
    const snapshot = one.snapshot.name;
    const onProgress = (copiedBytes: number) =>
      o.onProgress?.({ snapshot, layer: layer + 1, layers: plan.copy.length, copiedBytes });
    await pullLayer(replica, source, one, { ...o, clock: replica.ports.clock, onProgress });
  }
}

/** Drops the sums of damaged files: a file is not kept because of a sum that it had before it was damaged. */
async function withSoundSums({ record, ports }: Replica, o: Call): Promise<ReplicaRecord> {
  let sound = record;
  for (const layer of record.layers.filter((one) => one.snapshot?.sum !== undefined)) {
    try {
      await inspectLayer(ports, record, layer, o);
    } catch (error) {
      if (!isAppError(error, 'REPLICA_CORRUPT')) throw error;
      ports.log.warn({ err: error }, 'a layer that was here before the rebuild is damaged; it is copied again');
      sound = { ...sound, layers: replaceLayer(sound, withoutSum(layer)) };
    }
  }
  return sound;
}

async function pullLayer(replica: Replica, source: LayerSource, wanted: SourceLayer, o: CopyPace): Promise<void> {
  const { blocks } = replica.ports;
  const { name, sum: _sum, ...facts } = wanted.snapshot;
  const begun = await replica.exclusive(o, () => beginCopy(replica, wanted, o));
  let sha256: string;
  try {
    await using from = await source.open(name, o);
    await using to = await blocks.connect(begun.exportName, o);
    sha256 = await copyLayer(from, to, o);
    // The sum is taken from what reads back, not from what was sent.
    const written = await sumLayer(to, { clock: o.clock, signal: o.signal });
    const said = wanted.snapshot.sum?.sha256 ?? sha256;
    if (written !== sha256 || said !== sha256) throw differs(name, said, sha256, written);
  } finally {
    await blocks.unexportLayer(begun.id, o);
    replica.pins.release(begun.id);
  }
  await replica.exclusive(o, async () => {
    const { record } = replica;
    if (!record.pending.some((one) => one.kind === 'copy' && one.file === begun.file)) {
      throw replicaError('NOT_POSSIBLE_NOW', `the copy of ${name} was discarded by another call that failed`, {
        retry: 'soon',
      });
    }
    const at = new Date(replica.ports.clock.now()).toISOString();
    const snapshot = { name, ...facts, sum: { sha256, at } };
    const { parent, sizeBytes } = wanted;
    const copied = addCopied(record, { file: begun.file, parent, sizeBytes, snapshot });
    const layers = copied.layers.filter(({ file }) => file === begun.file);
    await replica.change(await withLengths(replica.ports.folder, copied, layers));
  });
}

async function beginCopy(replica: Replica, wanted: SourceLayer, o: Call) {
  const { record } = replica;
  const id = record.nextId;
  const file = layerFile(id);
  const below = wanted.parent === undefined ? undefined : findSnapshot(record, wanted.parent)?.file;
  await replica.change({ ...record, nextId: id + 1, pending: [...record.pending, { kind: 'copy', file }] });
  const { blocks } = replica.ports;
  const backing = below === undefined ? {} : { backingFile: below };
  await blocks.makeLayer(file, { ...o, sizeBytes: wanted.sizeBytes, ...backing });
  const copy = { id: `copy${id}`, name: `copy.${record.generation}.${id}`, file };
  replica.pins.hold(copy.id, []);
  await blocks.exportCopy(copy, o);
  return { id: copy.id, exportName: copy.name, file };
}

/**
 * While the engine is paused: puts the head on the newest layer of the source, which completes the replica. The caller then
 * serves the head again.
 * @throws AppError `REPLICA_LAGS` when its daemon was killed since the rebuild began: the rebuild has to begin again
 */
export const attachLayers = (replica: Replica, snapshot: string, o: Call): Promise<ReplicaRecord> =>
  replica.exclusive(o, async () => {
    const { blocks } = replica.ports;
    const live = await liveOrKilled(replica, o);
    needsWholeHead(replica.record);
    await blocks.unexportHead(o);
    // The chain is reopened here, so writes that were acknowledged have to be on disk first.
    if (live !== undefined && replica.record.servedIn > 0) await blocks.flush(o);
    await replica.change(closedRecord(attachHead(replica.record, snapshot)));
    await blocks.close(o);
    await replica.tidy(o);
    await blocks.open(chainFiles(replica.record), o);
    return replica.record;
  });

const differs = (name: string, said: string, read: string, written: string) =>
  replicaError(
    'REPLICA_CORRUPT',
    `the copy of ${name} differs: the source says ${said}, ${read} was read and ${written} reads back`,
    {
      nextStep: 'Check the disks and the network of both nodes. The copy is tried again.',
    },
  );
