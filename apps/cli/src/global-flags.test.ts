import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addGlobalFlags, environmentOf } from './global-flags.ts';
import { usesColor } from './output/phase-color.ts';

/** Whether a command with these flags uses colors on a terminal. */
async function colors(flags: string[], env: Record<string, string>): Promise<boolean> {
  const program = new Command('lateen');
  addGlobalFlags(program, env);
  const seen = environmentOf(program, env);
  let used: boolean | undefined;
  program.command('get').action(() => {
    used = usesColor({ isTTY: true, write: () => true }, seen);
  });
  await program.parseAsync([...flags, 'get'], { from: 'user' });
  return used ?? Promise.reject(new Error('the command did not run'));
}

it.each([
  [[], {}, true],
  [['--colorized'], {}, true],
  [['--colorized=false'], {}, false],
  [[], { NO_COLOR: '1' }, false],
  [['--colorized=true'], { NO_COLOR: '1' }, true],
  [['--colorized=true'], { TERM: 'dumb' }, false],
])('%j with %j: colors are %s', async (flags, env, expected) => expect(await colors(flags, env)).toBe(expected));
