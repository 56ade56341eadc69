import { AppError } from '@lateen/errors';
import type { EngineExit } from './engine-process.ts';

/**
 * The error for a program that was ended by a signal which we did not send: from the node, a user, or the kernel. It says nothing
 * about the data, so the movement is tried again. Undefined for any other end.
 * @param who begins the message: `uploading /v: the engine`
 * @param lines its last output lines
 */
export function killedFailure(exit: EngineExit, who: string, lines: readonly string[] = []): AppError | undefined {
  const { endedBy, aborted } = exit;
  if (endedBy === undefined || aborted) return undefined;
  return new AppError('ENGINE_KILLED', `${who} was killed by ${endedBy}${saidText(lines)}`, {
    nextStep:
      endedBy === 'SIGKILL'
        ? 'The usual cause is memory: raise podResources.memoryLimit of the node-agent configuration.'
        : 'Find what sent the signal: see the log of the node, of its kernel, and of the container runtime.',
    retry: 'later',
    details: { exitCode: undefined, endedBy },
  });
}

/** The form of a program's last lines at the end of a message. */
export const saidText = (lines: readonly string[]): string => (lines.length === 0 ? '' : `: ${lines.join(' | ')}`);
