import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { waitUntil } from '../host/wait-until.ts';
import { politeMs, signalIfAlive } from './end-process.ts';
import { markedProcesses } from './marked-processes.ts';
import { isAlive, type ProcessRecord } from './process-record.ts';

/** The kernel needs a moment to end the processes of a killed machine, more on a busy host. */
const goneTimeoutMs = 30_000;

/**
 * Ends every process of the cluster with that id. With process 1 of a machine the kernel ends all that is in it, and the
 * wrappers outside (`nsenter`, `unshare`) end with their child. A wrapper that is stopped or hangs does not: it holds the
 * machine's namespaces, and as long as it does not take note of its child, process 1 cannot end either. So what is left
 * after a moment gets SIGKILL, which a stopped process obeys too. Signals go to exactly the processes that were seen.
 * @throws WAIT_TIMEOUT naming the processes that the kernel does not let go
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

/** @throws PROCESS_LEFT naming them, for whoever waits in vain */
async function allGone(id: string, inits: readonly ProcessRecord[]): Promise<boolean> {
  // One that is ending has no environment any more.
  const ending = await Promise.all(inits.map(isAlive));
  const left = [...inits.filter((_, at) => ending[at]), ...(await markedProcesses(id))];
  if (left.length === 0) return true;
  const titles = new Map(left.map(({ pid, name }) => [pid, `${name} (pid ${pid})`]));
  throw new AppError('PROCESS_LEFT', `${[...titles.values()].join(', ')} still there`);
}
