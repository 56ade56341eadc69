import type { ItemRun } from '../../engine/item-run.ts';
import { actionContextOf } from './action-context.ts';

/**
 * Tells actions that the run has no more items, in success, failure or abort, and therefore with its own signals. When an action cannot
 * release something, this is a log line.
 */
export async function endActions(run: ItemRun): Promise<void> {
  const { actions, clock, limits, log } = run.ports;
  const context = actionContextOf(run, log);
  for (const action of actions) {
    try {
      await action.endItems?.(context, clock.deadline(limits.resourceTimeoutMs));
    } catch (error) {
      log.warn({ action: action.name, err: error }, 'action did not release all its resources');
    }
  }
}
