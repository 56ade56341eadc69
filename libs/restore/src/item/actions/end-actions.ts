import type { ItemRun } from '../../engine/item-run.ts';
import { actionContextOf } from './action-context.ts';

/**
 * Tells actions that no more items of this run come, however it ended: also after an abort, and therefore with signals of their own. What an
 * action cannot give back is a line of the log.
 */
export async function endActions(run: ItemRun): Promise<void> {
  const { actions, clock, limits, log } = run.ports;
  const context = actionContextOf(run, log);
  for (const action of actions) {
    try {
      await action.endItems?.(context, clock.deadline(limits.resourceTimeoutMs));
    } catch (error) {
      log.warn({ action: action.name, err: error }, 'action did not give back all that it had taken');
    }
  }
}
