import { join } from 'node:path';
import { execa } from 'execa';

/** The `lateen` command line as a user runs it; its progress is printed to the terminal. */
export type LateenCli = (args: readonly string[]) => Promise<void>;

export function lateenCli(root: string, kubeconfig: string, signal: AbortSignal): LateenCli {
  return async (args) => {
    console.log(`$ lateen ${args.join(' ')}`);
    const result = await execa(
      process.execPath,
      [join(root, 'apps/cli/src/main.ts'), '--kubeconfig', kubeconfig, ...args],
      {
        stdin: 'ignore',
        stdout: 'inherit',
        stderr: 'inherit',
        cancelSignal: signal,
        reject: false,
      },
    );
    if (result.failed)
      throw new Error(
        `lateen ${args.slice(0, 2).join(' ')} ended with exit code ${result.exitCode}; its message is above`,
      );
  };
}
