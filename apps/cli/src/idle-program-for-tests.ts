import type { Command } from 'commander';
import { buildProgram } from './program.ts';

/** The program with commands that only read their command line. */
export function idleProgram(written: string[] = []): Command {
  const output = { write: (text: string) => written.push(text) };
  const program = buildProgram({ stdout: output, stderr: output } as unknown as Parameters<typeof buildProgram>[0], {});
  const visit = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => {});
    for (const each of command.commands) visit(each);
  };
  visit(program);
  return program;
}
