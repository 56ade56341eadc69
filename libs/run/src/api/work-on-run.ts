import { isAppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { type Outcome, settled } from '@lateen/kube-runtime';
import type { RunObject } from '../run-object.ts';
import type { Verdict } from '../verdict.ts';
import type { RunWrites, WritePorts } from './run-writes.ts';
import { interruption, interruptionError, type RunInterruption } from './watch-run.ts';

/** Ends of a run after which its object has to be read again. */
const leaving: ReadonlySet<string> = new Set<RunInterruption>(['RUN_CANCELED', 'RUN_DELETED']);

const isLeaving = (error: unknown): boolean => isAppError(error) && leaving.has(error.code);

/** Verdicts that the API server has not accepted yet, by uid. Bounded by the runs under way. */
export type Verdicts<R extends RunObject> = Map<string, Verdict<R>>;

/** Does the work of a run that this process has claimed, and writes the result. */
export async function workOnRun<R extends RunObject>(
  writes: RunWrites<R>,
  ports: WritePorts<R> & { log: Logger },
  verdicts: Verdicts<R>,
  running: R,
  work: () => Promise<Verdict<R>>,
  signal: AbortSignal,
): Promise<Outcome | 'next'> {
  const { word } = writes.kind;
  try {
    const verdict = await work();
    verdicts.set(running.metadata.uid ?? '', verdict);
    return await concludeRun(writes, ports, verdicts, running, verdict, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, 'RUN_TAKEN_OVER' satisfies RunInterruption)) {
      ports.log.warn({ [word]: running.metadata.name }, `another controller has taken the ${word} over`);
      return settled;
    }
    if (isLeaving(error)) return 'next';
    throw error;
  }
}

/** Writes the result of a run, unless the run has to be cancelled or deleted meanwhile. */
export async function concludeRun<R extends RunObject>(
  writes: RunWrites<R>,
  ports: WritePorts<R>,
  verdicts: Verdicts<R>,
  running: R,
  { phase, patch }: Verdict<R>,
  signal: AbortSignal,
): Promise<'next'> {
  const write = async (latest: R) => {
    const why = interruption(writes.kind, running, latest);
    if (why !== undefined) throw interruptionError(writes.kind, why, running);
    return await writes.move(ports, latest, phase, patch, signal);
  };
  try {
    await writes.onLatest(ports, running, write, signal);
  } catch (error) {
    if (!isLeaving(error)) throw error;
  }
  verdicts.delete(running.metadata.uid ?? '');
  return 'next';
}
