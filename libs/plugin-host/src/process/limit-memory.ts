import { readFile } from 'node:fs/promises';
import { byteSize } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { type MemoryGroup, memoryGroup } from './memory-group.ts';

export interface MemoryLimit {
  /** Why the process was ended for its memory; undefined when it was not. Removes the control group; called once, after its end. */
  end(): Promise<string | undefined>;
}

/** Linux' page size on the machines that we have images for. */
const pageBytes = 4_096;

/**
 * Limits the memory of a process: by a control group, or where that is not allowed by checking it every `checkMs` and calling `kill`. A limit of its
 * address space (RLIMIT_AS) would be wrong: programs in Go reserve far more addresses than they use.
 */
export function limitMemory(
  pid: number,
  bytesMax: number,
  { clock, log, checkMs, kill }: { clock: Clock; log: Logger; checkMs: number; kill: () => void },
  groupOf = memoryGroup,
): MemoryLimit {
  const ended = new AbortController();
  let tooMuch: string | undefined;
  const entered = groupOf(pid, bytesMax).then((group) => {
    if (group === undefined) {
      log.debug(
        { limit: byteSize(bytesMax), checkMs },
        'no cgroup can limit the memory of the plugin program, so its memory is polled',
      );
      void watch();
    }
    return group;
  });
  const watch = async () => {
    while (!ended.signal.aborted && tooMuch === undefined) {
      const bytes = await residentBytes(pid);
      if (bytes > bytesMax) {
        tooMuch = `it used ${byteSize(bytes)} of memory, and its limit is ${byteSize(bytesMax)}`;
        kill();
      } else await clock.sleep(checkMs, ended.signal).catch(() => {});
    }
  };
  return {
    end: async () => {
      ended.abort();
      return tooMuch ?? (await groupEnd(await entered, bytesMax));
    },
  };
}

async function groupEnd(group: MemoryGroup | undefined, bytesMax: number): Promise<string | undefined> {
  const killed = await group?.outOfMemory();
  await group?.remove();
  return killed === true ? `it needed more memory than its limit of ${byteSize(bytesMax)}` : undefined;
}

/** 0 for a process that has ended. */
async function residentBytes(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0) * pageBytes;
}
