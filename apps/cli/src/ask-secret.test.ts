import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askSecret } from './ask-secret.ts';

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  const shown = () => String(output.read() ?? '');
  return { input, shown, stop, ask: () => askSecret('Password: ', stop.signal, { input, output }) };
}

describe('askSecret', () => {
  it('returns what is typed, corrections applied, and shows nothing of it', async () => {
    const { input, shown, ask } = terminal();
    const answer = ask();
    input.write('tell nobodyy\u007f\r');
    expect(await answer).toBe('tell nobody');
    expect(shown()).toBe('Password: \n');
  });
  it('takes the end of the input for an empty answer', async () => {
    const { input, ask } = terminal();
    const answer = ask();
    input.write('\u0004');
    expect(await answer).toBe('');
  });
  it('ends on Ctrl-C', async () => {
    const { stop, ask } = terminal();
    const answer = ask();
    stop.abort(new Error('interrupted by SIGINT'));
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect(ask()).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
