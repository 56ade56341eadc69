import { readFile } from 'node:fs/promises';
import { systemClock } from '@lateen/kernel';
import { podProcesses } from '../../kills/pod-processes.ts';

const restoring = /^(\S*\/)?restic\b.*\brestore\b/;
const lookEveryMs = 200;

/** Bytes that the engine of a hosting pod has written to its volume so far; undefined while no engine restores there. */
export async function bytesRestored(podUid: string): Promise<number | undefined> {
  const found = (await podProcesses(podUid)).find(({ command }) => restoring.test(command));
  if (found === undefined) return undefined;
  const io = await readFile(`/proc/${found.pid}/io`, 'utf8').catch(() => '');
  const bytes = /^write_bytes: (\d+)$/m.exec(io)?.[1];
  return bytes === undefined ? undefined : Number(bytes);
}

/** Resolves with the number of bytes when the engine has written more than `bytes`. @throws the signal's reason */
export async function restoredMoreThan(podUid: string, bytes: number, signal: AbortSignal): Promise<number> {
  for (;;) {
    const now = await bytesRestored(podUid);
    if (now !== undefined && now > bytes) return now;
    await systemClock.sleep(lookEveryMs, signal);
  }
}
