import { spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '@lateen/errors';

export interface DetachedProcess {
  /** Program and arguments. */
  readonly argv: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Where its output goes, after what is there. */
  readonly logFile: string;
}

/**
 * Starts a program in its own session; it continues when this process ends. Resolves with its pid when it runs.
 * @throws AppError `PROGRAM_NOT_STARTED`
 */
export async function startDetached({ argv, env, logFile }: DetachedProcess): Promise<number> {
  const [program = '', ...args] = argv;
  let output: FileHandle | undefined;
  try {
    output = await open(logFile, 'a', 0o600);
    const { fd } = output;
    return await new Promise<number>((resolve, reject) => {
      const child = spawn(program, args, { detached: true, env: { ...env }, stdio: ['ignore', fd, fd] });
      child.once('error', reject);
      child.once('spawn', () => {
        child.unref();
        resolve(child.pid ?? 0);
      });
    });
  } catch (cause) {
    throw new AppError('PROGRAM_NOT_STARTED', `${program} could not be started`, { cause });
  } finally {
    await output?.close();
  }
}
