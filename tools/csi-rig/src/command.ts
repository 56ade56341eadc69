import { execa } from 'execa';

const commandMs = 120_000;

/** Runs a program of the host; resolves with its output. */
export async function command(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await execa(file, args, { timeout: commandMs, stdin: 'ignore', env: { LC_ALL: 'C' } });
  return stdout;
}

/** Runs a program that fails when there is nothing to do. True when it succeeded. */
export async function attempt(file: string, ...args: string[]): Promise<boolean> {
  return (await execa(file, args, { timeout: commandMs, stdin: 'ignore', reject: false })).exitCode === 0;
}
