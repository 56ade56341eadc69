import { type Clock, type Logger, type MountEntry, parseMountInfo } from '@lateen/kernel';
import { volumeLimits } from '../limits.ts';
import type { Files } from '../store/files.ts';
import type { CommandResult, RunCommand } from './run-command.ts';

/** The machine as this driver uses it. */
export interface Host {
  run: RunCommand;
  files: Files;
  log: Logger;
  clock: Clock;
}

export async function readMounts(host: Host): Promise<MountEntry[]> {
  return parseMountInfo((await host.files.readText('/proc/self/mountinfo')) ?? '');
}

/** Runs a command that only looks or flips a switch. */
export function runQuick(
  host: Host,
  signal: AbortSignal,
  command: string,
  args: readonly string[],
  okExitCodes: readonly number[] = [0],
): Promise<CommandResult> {
  return host.run(command, args, { signal, timeoutMs: volumeLimits.quickCommandMs, okExitCodes });
}
