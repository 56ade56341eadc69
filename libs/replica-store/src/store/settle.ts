import type { LiveChain, ReplicaBlocks } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import { fileBelow, headOf, layerOf, pathDown } from '../record/layer-tree.ts';
import { finishGrow, takeBackGrow } from '../record/record-grow.ts';
import { finishMerge, takeBackMerge } from '../record/record-merge.ts';
import { finishSnapshot, takeBackSnapshot } from '../record/record-snapshot.ts';
import { pendingOf, type ReplicaRecord, withoutPending } from '../record/replica-record.ts';
import type { ReplicaFolder } from './replica-folder.ts';

export interface SettlePorts {
  readonly folder: ReplicaFolder;
  readonly blocks: ReplicaBlocks;
}

/** The files of the chain as the record has it, from the head down. */
export const chainFiles = (record: ReplicaRecord): readonly string[] =>
  pathDown(record, record.head).map(({ file }) => file);

/**
 * Finishes or undoes what was under way when a process died or a call failed. It decides by what the daemon has open, or, without
 * an open chain, by what the files hold. Afterwards nothing is pending, and an open chain is that of the record. Safe to repeat
 * and to interrupt.
 *
 * A snapshot has happened if writes went to its overlay; if none did, both outcomes read the same. A merge is begun again from
 * the start unless the daemon has removed the child from its chain. Growth has happened if the head's header says so.
 */
export async function settle(ports: SettlePorts, before: ReplicaRecord, o: Call): Promise<ReplicaRecord> {
  let record = copiesTakenBack(before);
  const keep = async (next: ReplicaRecord) => {
    if (next !== record) await ports.folder.write(next);
    record = next;
  };
  if (pendingOf(record, 'merge') !== undefined) await ports.blocks.endMerges(o);
  const live = await ports.blocks.live(o);
  await keep(await settleSnapshot(ports, record, live, o));
  await keep(settleMerge(record, live));
  await keep(await settleGrow(ports, record, o));
  await keep(await settleCreate(ports, record, o));
  const wanted = chainFiles(record);
  const isLeftBehind = live !== undefined && !isSameChain(live, wanted);
  if (isLeftBehind) {
    // The export was cut before the record changed, so nobody writes to this chain.
    await ports.blocks.unexportHead(o);
    await ports.blocks.close(o);
  }
  await keep(await tidy(ports, record, o));
  if (isLeftBehind) await ports.blocks.open(wanted, o);
  return record;
}

/** Removes the pending copies: no copy writes into these files any more. */
export const copiesTakenBack = (record: ReplicaRecord): ReplicaRecord =>
  pendingOf(record, 'copy') === undefined
    ? record
    : {
        ...record,
        pending: record.pending.map((one) => (one.kind === 'copy' ? { kind: 'garbage', file: one.file } : one)),
      };

async function settleSnapshot(
  { blocks }: SettlePorts,
  record: ReplicaRecord,
  live: LiveChain | undefined,
  o: Call,
): Promise<ReplicaRecord> {
  const begun = pendingOf(record, 'snapshot');
  if (begun === undefined) return record;
  const { file } = begun.overlay;
  const hasHappened =
    live === undefined
      ? (await blocks.imageInfo(file, o)) !== undefined && !(await blocks.isBlank(file, o))
      : live.head === file;
  if (hasHappened) return finishSnapshot(record);
  if (live !== undefined) await blocks.dropAdded(file, o);
  return takeBackSnapshot(record);
}

function settleMerge(record: ReplicaRecord, live: LiveChain | undefined): ReplicaRecord {
  const begun = pendingOf(record, 'merge');
  if (begun === undefined) return record;
  const into = layerOf(record, begun.into).file;
  const child = layerOf(record, begun.child).file;
  return live?.files.includes(into) && !live.files.includes(child) ? finishMerge(record) : takeBackMerge(record);
}

async function settleGrow({ blocks }: SettlePorts, record: ReplicaRecord, o: Call): Promise<ReplicaRecord> {
  const begun = pendingOf(record, 'grow');
  if (begun === undefined) return record;
  const head = await blocks.imageInfo(headOf(record).file, o);
  return head?.sizeBytes === BigInt(begun.sizeBytes) ? finishGrow(record) : takeBackGrow(record);
}

/** The head is still to be made, so nobody has opened or written its file: an incomplete file is made again. */
async function settleCreate({ folder, blocks }: SettlePorts, record: ReplicaRecord, o: Call): Promise<ReplicaRecord> {
  if (pendingOf(record, 'create') === undefined) return record;
  const head = headOf(record);
  await folder.remove(head.file);
  await blocks.makeLayer(head.file, { ...o, sizeBytes: BigInt(head.sizeBytes) });
  return { ...record, pending: withoutPending(record, 'create') };
}

/**
 * Writes names of files below into headers, and removes files that belong to no layer. A layer that is open keeps its name until
 * it is closed.
 */
export async function tidy({ folder, blocks }: SettlePorts, record: ReplicaRecord, o: Call): Promise<ReplicaRecord> {
  if (record.pending.length === 0) return record;
  const live = (await blocks.live(o))?.files ?? [];
  const left: ReplicaRecord['pending'][number][] = [];
  for (const one of record.pending) {
    if (one.kind === 'garbage' && !live.includes(one.file)) await folder.remove(one.file);
    else if (one.kind === 'relink') {
      if (!(await isLinked(blocks, record, one.layer, live, o))) left.push(one);
    } else left.push(one);
  }
  return left.length === record.pending.length ? record : { ...record, pending: left };
}

async function isLinked(
  blocks: ReplicaBlocks,
  record: ReplicaRecord,
  id: number,
  live: readonly string[],
  o: Call,
): Promise<boolean> {
  const layer = layerOf(record, id);
  const below = fileBelow(record, layer);
  const info = await blocks.imageInfo(layer.file, o);
  if (info === undefined || info.backingFile === below) return true;
  if (live.includes(layer.file)) return false;
  await blocks.relink(layer.file, below, o);
  return true;
}

const isSameChain = (live: LiveChain, wanted: readonly string[]): boolean =>
  live.head === wanted[0] && live.files.length === wanted.length && wanted.every((file) => live.files.includes(file));
