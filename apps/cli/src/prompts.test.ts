import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { prompts } from './prompts.ts';

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  const shown: string[] = [];
  output.on('data', (piece: Buffer) => shown.push(piece.toString('utf8')));
  const asked = prompts({ input, output }, stop.signal);
  /** Types the answer when the question is on the terminal. */
  const type = async (question: string, keys: string) => {
    await expect.poll(() => shown.join('')).toContain(question);
    input.write(keys);
  };
  return { input, shown, stop, asked, type };
}

describe('questions on a terminal', () => {
  it('return what was typed', async () => {
    const { asked, type } = terminal();
    const answer = asked.ask('Remove it? [y/N] ');
    await type('Remove it? [y/N]', 'y\r');
    expect(await answer).toBe('y');
  });
  it('return a secret, with corrections applied, and do not show it', async () => {
    const { asked, shown, type } = terminal();
    const answer = asked.askSecret('Password: ');
    await type('Password:', 'tell nobodyy\u007f\r');
    expect(await answer).toBe('tell nobody');
    expect(shown.join('')).not.toMatch(/tell|nobody|\*/);
  });
  it.each(['ask', 'askSecret'] as const)('end on Ctrl-C and when the input ends (%s)', async (how) => {
    for (const end of ['\u0003', '\u0004']) {
      const { asked, type } = terminal();
      const answer = asked[how]('Sure? ');
      const refused = expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
      await type('Sure?', end);
      await refused;
    }
  });
  it('end when the command is stopped, and are not asked afterwards', async () => {
    const { asked, stop } = terminal();
    const answer = asked.askSecret('Password: ');
    stop.abort(new Error('interrupted by SIGINT'));
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect(asked.ask('Sure? ')).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
