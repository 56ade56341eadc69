import type { AppError } from '@lateen/errors';
import type { EngineExit, EngineRun } from './engine-process.ts';

type RunOptions = Pick<EngineRun, 'stdin' | 'onStdout' | 'onStderr'> & { signal: AbortSignal };

/** Runs an engine and throws when the run fails. @throws as `session.failure`; the signal's reason on abort */
export async function mustRun(
  session: {
    run(args: readonly string[], options: RunOptions): Promise<EngineExit>;
    failure(exit: EngineExit, doing: string): AppError;
  },
  doing: string,
  args: readonly string[],
  options: RunOptions,
): Promise<EngineExit> {
  const exit = await session.run(args, options);
  options.signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, doing);
  return exit;
}
