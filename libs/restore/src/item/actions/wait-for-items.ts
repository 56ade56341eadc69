import { AppError } from '@lateen/errors';
import type { ItemIdentifier, RestoreActionContext, RestoreItemAction, RestoreItemResult } from '@lateen/item-actions';
import { durationText, orAborted } from '@lateen/kernel';
import type { CatalogItem } from '../../engine/contract.ts';
import type { ItemRun } from '../../engine/item-run.ts';

/** How often an action is asked whether its additional items are ready (after-1.18.1.md 1D.1). */
const askAgainMs = 1_000;

interface Waiting {
  item: CatalogItem;
  action: RestoreItemAction;
  result: RestoreItemResult;
  /** The additional items that are in the cluster. */
  restored: readonly ItemIdentifier[];
  context: RestoreActionContext;
}

/**
 * Waits until an action reports that its additional items are ready: asked at once, then each second. An error of the action or a time-out
 * is an error line of the restore. @throws only the signal's reason
 */
export async function waitForItems(run: ItemRun, waiting: Waiting, signal: AbortSignal): Promise<void> {
  const { item, result, action, context } = waiting;
  // In a plan nothing is created that could become ready.
  if (result.waitForAdditionalItems !== true || action.areAdditionalItemsReady === undefined || context.dryRun) return;
  try {
    await run.additional.whileWaiting(item, () => askUntilReady(run, waiting, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    context.log.error({ err: error }, 'Additional items of the item are not ready, it is restored anyway');
  }
}

/** @throws ADDITIONAL_ITEMS_NOT_READY after the time-out; the error of the action; the signal's reason */
async function askUntilReady(run: ItemRun, waiting: Waiting, signal: AbortSignal): Promise<void> {
  const { clock, limits } = run.ports;
  const { additionalItemsReadyTimeoutMs: own = 0 } = waiting.result;
  const timeoutMs = own > 0 ? own : limits.additionalItemsReadyTimeoutMs;
  const late = clock.deadline(timeoutMs);
  const either = AbortSignal.any([signal, late]);
  try {
    while (!(await ask(waiting, either))) await clock.sleep(askAgainMs, either);
  } catch (error) {
    signal.throwIfAborted();
    if (!late.aborted) throw error;
    throw new AppError('ADDITIONAL_ITEMS_NOT_READY', `they were not ready within ${durationText(timeoutMs)}`, {
      cause: error,
      nextStep: 'Check why they do not become ready. The flag --additional-items-ready-timeout gives them more time.',
    });
  }
}

async function ask({ action, restored, context }: Waiting, signal: AbortSignal): Promise<boolean> {
  const asked = { items: restored, restore: context.restore, signal };
  // The time-out also ends an answer that never arrives.
  const answer = await orAborted(Promise.resolve(action.areAdditionalItemsReady?.(asked, context)), signal);
  const { ready = true, error = '' } = answer ?? {};
  if (error !== '') throw new AppError('ADDITIONAL_ITEMS_NOT_READY', error);
  return ready;
}
