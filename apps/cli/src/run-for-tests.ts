import type { CommandContext } from './command-context.ts';
import { runProgram } from './run-program.ts';

/** What a shell would have seen of one command line. */
export interface RunForTests {
  code: number;
  stdout: string;
  stderr: string;
  /** The questions that were asked. */
  asked: string[];
  /** The command has asked for a connection. */
  connected: boolean;
}

/** Runs a command line on the given cluster. Answers each question with `answer`; without an answer there is no terminal. */
export async function runForTests(
  world: Pick<CommandContext, 'clock' | 'random'> & { kube: Awaited<ReturnType<CommandContext['connect']>> },
  words: readonly string[],
  {
    answer,
    signal = new AbortController().signal,
    env = {},
  }: { answer?: string; signal?: AbortSignal; env?: Readonly<Record<string, string>> } = {},
): Promise<RunForTests> {
  const out: string[] = [];
  const err: string[] = [];
  const asked: string[] = [];
  let connected = false;
  const ask = (question: string) => {
    asked.push(question);
    return Promise.resolve(answer ?? '');
  };
  const context: CommandContext = {
    clock: world.clock,
    random: world.random,
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    signal,
    ...(answer === undefined ? {} : { ask }),
    connect: () => {
      connected = true;
      return Promise.resolve(world.kube);
    },
  };
  const code = await runProgram(context, env, words);
  return { code, stdout: out.join(''), stderr: err.join(''), asked, connected };
}
