import type { ChildRunner } from '@lateen/child-process';
import { type BackoffLimits, backoffMs, type Clock, type Logger, type Random, unlessAborted } from '@lateen/kernel';

export interface KeepPorts {
  /** Of our own program. */
  runner: ChildRunner;
  clock: Clock;
  random: Random;
  log: Logger;
}

export interface KeptProgram {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Its output is passed on unchanged. */
  onStdout(chunk: Buffer): void;
  onStderr(text: string): void;
}

/** Volumes continue while it is down, but none can be attached or detached: the first restarts come soon. */
const backoff: BackoffLimits = { firstMs: 500, maxMs: 10_000, factor: 2, jitter: 0.2 };
/** A program that has run for so long restarts without the accumulated delay. */
const steadyMs = 60_000;

/**
 * Restarts a program whenever it ends, until the signal aborts; then it is asked to end, and this resolves when it has ended. A program that cannot
 * be started at all is retried too: the image may be on a disk that comes back.
 */
export async function keepServing(ports: KeepPorts, program: KeptProgram, signal: AbortSignal): Promise<void> {
  const { runner, clock, random, log } = ports;
  for (let attempt = 1; !signal.aborted; attempt++) {
    const beganMs = clock.monotonicMs();
    const ended = await runner
      .run({ ...program, signal })
      .then(({ exitCode, endedBy }) => ({ exitCode, endedBy }))
      .catch((error: unknown) => ({ err: error }));
    if (signal.aborted) return;
    if (clock.monotonicMs() - beganMs >= steadyMs) attempt = 1;
    const waitMs = backoffMs(attempt, backoff, random);
    log.warn({ ...ended, waitMs }, 'serve has ended and is started again; what runs for volumes continues');
    await unlessAborted(clock.sleep(waitMs, signal), signal);
  }
}
