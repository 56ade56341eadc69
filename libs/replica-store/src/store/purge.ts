import type { Call } from '../call.ts';
import { layerOf } from '../record/layer-tree.ts';
import { beginMerge, dropLayer, finishMerge, type PurgeWait, planPurge } from '../record/record-merge.ts';
import type { ReplicaRecord } from '../record/replica-record.ts';
import { withLengths } from './lengths.ts';
import type { Replica } from './replica.ts';

export interface PurgeProgress {
  readonly snapshot: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface PurgeResult {
  /** Removed snapshots whose space was freed. */
  readonly purged: readonly string[];
  readonly waiting: readonly (PurgeWait | { readonly snapshot: string; readonly because: 'a reader has it open' })[];
}

type Purge = Call & { onProgress?(progress: PurgeProgress): void };
type Turn =
  | { readonly kind: 'again'; readonly purged?: string }
  | { readonly kind: 'done'; readonly waiting: PurgeResult['waiting'] };

/**
 * Frees the space of removed snapshots, one layer at a time, until nothing more can be done now. Other calls on the replica interrupt
 * a running merge, which begins again after them. A replica that is being rebuilt keeps everything. So does
 * one with readers of an earlier store, because it is not known what they read: they exist until the replica is opened.
 */
export const purgeRemoved = (replica: Replica, o: Purge): Promise<PurgeResult> =>
  replica.purging(o, () => purgeAll(replica, o));

async function purgeAll(replica: Replica, o: Purge): Promise<PurgeResult> {
  const purged: string[] = [];
  for (;;) {
    const turn = await replica.exclusive(o, () => purgeOne(replica, o));
    if (turn.kind === 'done') return { purged, waiting: turn.waiting };
    if (turn.purged !== undefined) purged.push(turn.purged);
  }
}

async function purgeOne(replica: Replica, o: Purge): Promise<Turn> {
  const { record, pins } = replica;
  if (record.state === 'rebuilding') return { kind: 'done', waiting: [] };
  const plan = planPurge(record);
  const hasStrangers = (await replica.ports.blocks.layerExports(o)).some((id) => !pins.has(id));
  const step = hasStrangers ? undefined : plan.steps.find((one) => !pins.holdOff(record, one));
  if (step === undefined) {
    const read = plan.steps.map((one) => snapshotOf(record, one.kind === 'drop' ? one.layer : one.into));
    const waiting = read.map((snapshot) => ({ snapshot, because: 'a reader has it open' as const }));
    return { kind: 'done', waiting: [...plan.waiting, ...waiting] };
  }
  if (step.kind === 'merge') return mergeOne(replica, step.child, step.into, o);
  await replica.change(dropLayer(record, step.layer));
  await replica.tidy(o);
  return { kind: 'again', purged: snapshotOf(record, step.layer) };
}

async function mergeOne(replica: Replica, child: number, into: number, o: Purge): Promise<Turn> {
  const { blocks } = replica.ports;
  const record = await replica.change(beginMerge(replica.record, child, into));
  const snapshot = snapshotOf(record, into);
  const merge = { child: layerOf(record, child).file, into: layerOf(record, into).file };
  const onProgress = (doneBytes: number, totalBytes: number) => o.onProgress?.({ snapshot, doneBytes, totalBytes });
  const isMerged = await replica.interruptible(o, (signal) => blocks.merge(merge, { signal, onProgress }));
  if (!isMerged) return { kind: 'again' };
  const merged = finishMerge(replica.record);
  await replica.change(await withLengths(replica.ports.folder, merged, [layerOf(merged, child)]));
  await replica.tidy(o);
  return { kind: 'again', purged: snapshot };
}

const snapshotOf = (record: ReplicaRecord, id: number): string => layerOf(record, id).snapshot?.name ?? '';
