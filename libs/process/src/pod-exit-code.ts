import { writeFileSync } from 'node:fs';
import { describeError } from '@lateen/errors';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { type Environment, terminationLogPath } from './pod-config.ts';

/** kubelet keeps 4096 bytes of a termination message; a character takes three, mostly one. */
const reasonLengthMax = 1_300;

export interface PodProgram {
  /** The prefix of messages on standard error. */
  name: string;
  /** Before the reason in the termination message; default is the name. */
  failurePrefix?: string;
  environment: Environment;
  /** Resolves with the exit code when it has written a termination message itself, or needs none (help). */
  main(): Promise<number>;
  /** Default: this process. */
  of?: Pick<NodeJS.Process, 'once' | 'exit' | 'off'>;
}

/**
 * Runs the only program of a pod to its exit code. The creator of the pod sees only its termination message, so every
 * way out has one: what `main` throws (flags, environment, what it needs of the cluster), what nobody catches, and an
 * end in the middle of the work because nothing is left to wait for.
 */
export async function podExitCode(program: PodProgram): Promise<number> {
  const { name, environment, failurePrefix = `${program.name}: `, main, of = process } = program;
  const say = (reason: string): void => {
    try {
      writeFileSync(terminationLogPath(environment), failurePrefix + reason.slice(0, reasonLengthMax));
    } catch {
      // Outside of a pod there is no such file; standard error and the exit code say it too.
    }
  };
  // A defect: whatever is going on, the pod must end and say why. Its end takes the engine with it.
  const breakDown = (error: unknown): void => {
    process.stderr.write(`${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
    of.off('exit', endedEarly);
    say(
      `it failed unexpectedly: ${describeError(error)}. This is a bug in ${name}: please report it with the log of this pod.`,
    );
    of.exit(exitCodes.failed);
  };
  const endedEarly = (): void => say('it ended before its work was done. See the log of this pod.');
  of.once('uncaughtException', breakDown);
  of.once('exit', endedEarly);
  const code = await exitCodeOf(name, async () => {
    try {
      return await main();
    } catch (error) {
      say(describeError(error));
      throw error;
    }
  });
  of.off('exit', endedEarly);
  of.off('uncaughtException', breakDown);
  return code;
}
