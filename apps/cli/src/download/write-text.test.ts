import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { writeText } from './write-text.ts';

const signal = AbortSignal.any([]);
async function* pieces(...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}
const letters = Buffer.from('a\u00fc\u{1f600}b');

describe('writeText', () => {
  it('keeps characters intact that arrive in two pieces', async () => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text) };
    await writeText(output, pieces(...[...letters].map((byte) => Uint8Array.of(byte))), signal);
    expect(written.join('')).toBe('a\u00fc\u{1f600}b');
  });

  it('requests the next piece after the last one was read', async () => {
    let taken = 0;
    const output = new PassThrough({ highWaterMark: 1 });
    async function* counted() {
      for (let index = 0; index < 100; index++) {
        taken += 1;
        yield Buffer.alloc(1_000, 'x');
      }
    }
    const done = writeText(output, counted(), signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toBeLessThan(5);
    let bytes = 0;
    output.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await done;
    expect([taken, bytes]).toEqual([100, 100_000]);
  });

  it('fails when the output fails', async () => {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('the disk is full')) });
    // As the program has one for its output.
    full.on('error', () => {});
    await expect(writeText(full, pieces(letters), signal)).rejects.toThrow('the disk is full');
  });

  it('does not wait for a reader after an interruption', async () => {
    const stop = new AbortController();
    const done = writeText(new Writable({ write: () => {} }), pieces(letters), stop.signal);
    stop.abort(new Error('Ctrl-C'));
    await expect(done).rejects.toThrow('Ctrl-C');
  });
});
