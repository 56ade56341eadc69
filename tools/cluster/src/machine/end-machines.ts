import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { waitUntil } from '../host/wait-until.ts';
import { politeMs, signalIfAlive } from './end-process.ts';
import { markedProcesses } from './marked-processes.ts';
import { isAlive, type ProcessRecord } from './process-record.ts';

/** The kernel needs a moment to end the processes of a killed machine, longer on a busy host. */
const goneTimeoutMs = 30_000;

/**
 * Ends every process of the cluster with that ID. With process 1 of a machine the kernel ends everything in it, and the wrappers outside
 * (`nsenter`, `unshare`) end with their child. A stopped or hanging wrapper does not: it keeps the machine's namespaces, and until it reaps
 * its child, process 1 cannot end either. So the remaining processes get SIGKILL after a moment, which also ends stopped processes. Signals
 * are sent only to exactly the processes that were found.
 * @throws WAIT_TIMEOUT naming the processes that do not end
 */
export async function endMachines(id: string, inits: readonly ProcessRecord[], clock: Clock): Promise<void> {
  for (const init of inits) await signalIfAlive(init, 'SIGKILL');
  const what = 'all processes of the cluster are gone';
  const byThemselves = waitUntil(() => allGone(id, inits), { what, timeoutMs: politeMs, clock });
  if (
    await byThemselves.then(
      () => true,
      () => false,
    )
  )
    return;
  const made = async (): Promise<boolean> => {
    for (const record of await markedProcesses(id)) await signalIfAlive(record, 'SIGKILL');
    return allGone(id, inits);
  };
  await waitUntil(made, { what, timeoutMs: goneTimeoutMs, clock });
}

/** @throws PROCESS_LEFT naming them, for a caller that waits */
async function allGone(id: string, inits: readonly ProcessRecord[]): Promise<boolean> {
  // A process that is ending has no environment any more.
  const ending = await Promise.all(inits.map(isAlive));
  const left = [...inits.filter((_, at) => ending[at]), ...(await markedProcesses(id))];
  if (left.length === 0) return true;
  const titles = new Map(left.map(({ pid, name }) => [pid, `${name} (pid ${pid})`]));
  throw new AppError('PROCESS_LEFT', `${[...titles.values()].join(', ')} did not end`);
}
