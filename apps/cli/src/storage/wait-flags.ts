import type { KubeObject } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Noun } from '@lateen/operations/noun';
import { followStorage, type StorageGoal } from '@lateen/operations/storage';
import type { Command } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import type { CommandContext } from '../command-context.ts';
import { liveLine } from '../output/live-line.ts';
import { parseDuration } from '../parse-duration.ts';
import type { OpenedStorage } from './open-storage.ts';

export interface WaitFlags {
  wait?: boolean;
  timeout: string;
}

/** Adds `--wait` and `--timeout`. @param until the end of the wait: `it is attached` */
export function withWaitFlags(command: Command, until: string): Command {
  command.option('--timeout <duration>', 'how long --wait waits', '5m');
  return withBooleanFlag(command, '--wait', `until ${until}`);
}

export interface StorageWait<T extends KubeObject> extends Omit<StorageGoal<T>, 'timeoutMs'> {
  readonly noun: Noun<T>;
  readonly name: string;
  /** The command that shows more when the wait times out. */
  readonly next: string;
}

/** Waits, shows what it waits for, and reports the end of the wait. @throws AppError STORAGE_TIMEOUT, INTERRUPTED */
export async function waitFor<T extends KubeObject>(
  context: CommandContext,
  { kube, namespace }: OpenedStorage,
  { noun, name, next, ...goal }: StorageWait<T>,
  flags: WaitFlags,
): Promise<void> {
  const { clock, random, signal, stderr, stdout } = context;
  const timeoutMs = parseDuration('--timeout', flags.timeout);
  const line = liveLine(stderr);
  try {
    const show = (waits: string) => line.show(`${noun.word} ${name}: ${waits}`);
    await followStorage({ kube, clock, random }, noun, { namespace, name }, { ...goal, timeoutMs }, show, signal);
  } catch (error) {
    if (signal.aborted)
      throw new AppError('INTERRUPTED', 'stopped waiting; the operation continues in the cluster', {
        nextStep: `See: ${next}`,
      });
    if (error instanceof AppError && error.code === 'STORAGE_TIMEOUT')
      throw new AppError(error.code, error.message, { nextStep: `See: ${next}` });
    throw error;
  } finally {
    line.end();
  }
  stdout.write(`${goal.goal}\n`);
}
