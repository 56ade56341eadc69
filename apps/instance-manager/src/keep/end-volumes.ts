import type { ProcessKeeper } from '@lateen/instance-host';
import type { Clock, Logger } from '@lateen/kernel';

const pollMs = 100;

/**
 * Ends all processes of volumes, for each volume in the order front end, engine, replica. Resolves when none is left or the signal aborts, with the
 * ids of the remaining ones.
 */
export async function endVolumes(
  keeper: ProcessKeeper,
  { clock, log }: { clock: Clock; log: Logger },
  signal: AbortSignal,
): Promise<readonly string[]> {
  let left: readonly string[] = [];
  try {
    for (;;) {
      const { processes } = await keeper.pass(signal);
      left = processes.map(({ id }) => id);
      if (left.length === 0) return left;
      for (const id of left) keeper.unwant(id);
      await clock.sleep(pollMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    log.warn({ left }, 'processes of volumes have not ended in time');
    return left;
  }
}
