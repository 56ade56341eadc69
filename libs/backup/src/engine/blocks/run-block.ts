import type { Pod } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { backupHooksOf, type HookCounts, runPodHooks } from '@lateen/hooks';
import { eachAtOnce } from '@lateen/kernel';
import { type OpenPod, openPodOf } from '../../open-hooks/open-pod.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type Item, logFieldsOf } from '../items/item.ts';
import { placeText } from '../items/item-record.ts';
import { asPod } from '../volumes/claim-index.ts';
import type { HeldItems } from './held-items.ts';
import type { ItemBlock } from './item-blocks.ts';

type BlockParts = Pick<EngineParts, 'ports' | 'calls' | 'items' | 'record' | 'request' | 'podVolumes'>;

/** Counts of the hooks of a whole backup. */
export class HookTotals {
  attempted = 0;
  failed = 0;

  add({ attempted, failed }: HookCounts): void {
    this.attempted += attempted;
    this.failed += failed;
  }
}

/**
 * Backs up one block: pre hooks, its items, then, when all volumes of its pods that are read through the file system are read, post hooks.
 * A pod whose pre hook failed is left out. Post hooks run for every pod whose pre hooks have started, also after a failure or at the end of
 * the backup, so that no pod stays frozen. Meanwhile the Backup records these pods, so that the next process can run the hooks if this one
 * dies.
 * @throws only what ends the whole backup
 */
export async function runBlock(
  block: ItemBlock,
  held: HeldItems,
  parts: BlockParts,
  totals: HookTotals,
  signal: AbortSignal,
): Promise<void> {
  const hooked = await podsWithHooks(block, held, parts, signal);
  const release = await parts.ports.podTurns.take([...hooked.values()].map(uidOf), signal);
  const begun: Item[] = [];
  const left = new Set<string>();
  const pods = podsOf(block, held);
  const toOpen = [...hooked.values()]
    .filter((item) => hooksOf(item, 'post', parts).length > 0)
    .map(({ object }) => openPodOf(object));
  if (toOpen.length > 0) parts.podVolumes.hold(pods);
  try {
    const refusal = await openHooks(toOpen, parts, signal);
    for (const [key, item] of hooked) {
      signal.throwIfAborted();
      const refused = mayFreeze(item, parts) ? refusal : undefined;
      if (refused === undefined) begun.push(item);
      const error = await runHooks('pre', item, parts, totals, signal, refused);
      signal.throwIfAborted();
      if (error === undefined) continue;
      left.add(key);
      parts.record.countedOnly(item, { outcome: 'Failed', reason: describeError(error), by: 'hook' });
    }
    await eachAtOnce(block, parts.ports.limits.itemsMax, async (key) => {
      if (!left.has(key)) await backUp(key, hooked.get(key), held, parts, signal);
      held.release(key);
    });
    if (toOpen.length > 0) await parts.podVolumes.untilRead(pods, signal);
  } finally {
    try {
      for (const item of begun) await runHooks('post', item, parts, totals, signal);
    } finally {
      if (toOpen.length > 0) await parts.ports.openHooks.close(toOpen);
      release();
    }
  }
}

/** @returns why pre hooks that post hooks undo may not run: without the record, the frozen pods would be unknown after a crash */
async function openHooks(pods: OpenPod[], parts: BlockParts, signal: AbortSignal): Promise<string | undefined> {
  if (pods.length === 0) return undefined;
  try {
    await parts.ports.openHooks.open(pods, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return `the hook was not run, because the pod could not be recorded in an annotation of the Backup: ${describeError(error)}`;
  }
}

/** Whether the pod has pre hooks that post hooks undo. */
const mayFreeze = (item: Item, parts: BlockParts): boolean =>
  hooksOf(item, 'pre', parts).length > 0 && hooksOf(item, 'post', parts).length > 0;

const uidOf = ({ object }: Item): string => object.metadata.uid ?? '';

/** The places of the block's pods; they are read first, because the held items are gone after the backup of the block. */
function podsOf(block: ItemBlock, held: HeldItems): Set<string> {
  const pods = block.flatMap((key) => {
    const recorded = held.recorded(key);
    return recorded?.type.groupResource === 'pods' ? placeText(recorded) : [];
  });
  return new Set(pods);
}

/** The pods of the block that have hooks. Only these are all in memory at the same time. */
async function podsWithHooks(block: ItemBlock, held: HeldItems, parts: BlockParts, signal: AbortSignal) {
  const { ports, calls } = parts;
  const hooked = new Map<string, Item>();
  for (const key of block) {
    if (held.recorded(key)?.type.groupResource !== 'pods') continue;
    const item = await held.read(key, ports.kube, calls, signal);
    if (item !== undefined && hooksOf(item, 'pre', parts).length + hooksOf(item, 'post', parts).length > 0)
      hooked.set(key, item);
  }
  return hooked;
}

const hooksOf = (item: Item, phase: 'pre' | 'post', { request }: BlockParts) =>
  backupHooksOf(asPod(item.object), phase, request.backup.spec.hooks);

/** @param flaw why no hook is run; each hook then fails with this error */
async function runHooks(
  phase: 'pre' | 'post',
  item: Item,
  parts: BlockParts,
  totals: HookTotals,
  signal: AbortSignal,
  flaw?: string,
) {
  const pod: Pod = asPod(item.object);
  const hooks = hooksOf(item, phase, parts).map((hook) => (flaw === undefined ? hook : { ...hook, flaw }));
  const outcome = await runPodHooks(hooks, pod, parts.ports, signal);
  totals.add(outcome);
  return outcome.error;
}

async function backUp(
  key: string,
  read: Item | undefined,
  held: HeldItems,
  { ports, calls, items }: BlockParts,
  signal: AbortSignal,
): Promise<void> {
  const item = read ?? (await held.read(key, ports.kube, calls, signal));
  if (item !== undefined) await items.backUp(item, signal);
  else {
    const gone = held.recorded(key);
    if (gone !== undefined) ports.log.warn(logFieldsOf(gone), 'item was deleted before it was backed up');
  }
}
