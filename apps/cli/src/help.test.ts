import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { completionOf } from './completion/completion.ts';
import { positionOf } from './completion/position.ts';
import { idleProgram } from './idle-program-for-tests.ts';

function pathsOf(command: Command, path: string[] = []): string[][] {
  return [path, ...command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]))];
}

async function helpOf(path: readonly string[]): Promise<string> {
  const written: string[] = [];
  await expect(idleProgram(written).parseAsync([...path, '--help'], { from: 'user' })).rejects.toMatchObject({
    exitCode: 0,
  });
  return written.join('');
}

/** The `lateen` command lines in the examples, as words. */
function examplesIn(help: string): string[][] {
  const section = /\nExamples:\n((?: {2}.*\n)+)/.exec(help)?.[1] ?? '';
  return section
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/\blateen ((?:'[^']*'|[^|>#)'\n])*)/g)].map(([, words = '']) => words))
    .map((words) => words.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? []);
}

describe.each(pathsOf(idleProgram()).map((path) => ['lateen', ...path].join(' ')))('%s --help', (line) => {
  const path = line.split(' ').slice(1);

  it('has examples that the program accepts', async () => {
    const help = await helpOf(path);
    const examples = examplesIn(help);
    expect(examples).not.toEqual([]);
    for (const words of examples) {
      await idleProgram().parseAsync(words, { from: 'user' });
      for (const [option, value] of positionOf(idleProgram(), [...words, '']).values) {
        const completion = completionOf(option);
        if (Array.isArray(completion)) expect(completion).toContain(value);
      }
    }
    // Examples of the command, or of the commands below it.
    if (path.length > 0) expect(examples.map((words) => words.slice(0, path.length))).toContainEqual(path);
  });

  it('has no references that a reader outside of the project would not understand', async () => {
    expect(await helpOf(path)).not.toMatch(/the reference|cli\.md|undefined|\[object/);
  });
});
