import type { Clock } from '@lateen/kernel';
import { waitUntil } from '../host/wait-until.ts';
import { isAlive, type ProcessRecord } from './process-record.ts';

const endTimeoutMs = 20_000;
/** How long a process may take to end by itself before it is killed. */
export const politeMs = 3_000;

/**
 * Ends the recorded process, and only that one: SIGTERM (unless `atOnce`), then SIGKILL. Does nothing when it has ended. Resolves when it
 * no longer exists. @throws WAIT_TIMEOUT when it does not end
 */
export async function endProcess(record: ProcessRecord, clock: Clock, options: { atOnce: boolean }): Promise<void> {
  if (!options.atOnce && (await signalIfAlive(record, 'SIGTERM'))) {
    const gone = waitUntil(async () => !(await isAlive(record)), { what: '', timeoutMs: politeMs, clock });
    if (
      await gone.then(
        () => true,
        () => false,
      )
    )
      return;
  }
  if (!(await signalIfAlive(record, 'SIGKILL'))) return;
  const what = `the process ${record.name} (pid ${record.pid}) is gone`;
  await waitUntil(async () => !(await isAlive(record)), { what, timeoutMs: endTimeoutMs, clock });
}

/** Sends the signal to exactly the recorded process. @returns false when it is gone */
export async function signalIfAlive(record: ProcessRecord, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(record))) return false;
  try {
    process.kill(record.pid, signal);
    return true;
  } catch (error) {
    // It has ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
