import { recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { captureOutput } from './captured-output.ts';

function captured() {
  const log = recordingLog();
  const output = { write: (): boolean => false };
  captureOutput(output as unknown as NodeJS.WriteStream, log);
  const write = output.write as unknown as NodeJS.WriteStream['write'];
  return { log, write };
}

describe('standard output of a plugin', () => {
  it('is logged line by line, for any chunk boundaries', () => {
    const { log, write } = captured();
    write('on');
    write(Buffer.from('e\ntwo\n\nthr'));
    expect(log.messages('info')).toEqual(['one', 'two']);
    write('ee\n');
    expect(log.messages('info')).toEqual(['one', 'two', 'three']);
  });

  it('is logged without a line end when the line is long', () => {
    const { log, write } = captured();
    write('x'.repeat(20_000));
    expect(log.messages('info')).toEqual(['x'.repeat(20_000)]);
  });

  it("is accepted at once, and the writer's callback is called", async () => {
    const { write } = captured();
    const told = Promise.withResolvers<void>();
    expect(write('a\n', () => told.resolve())).toBe(true);
    await told.promise;
  });
});
