import { FakeClock, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { processLog } from './process-log.ts';

const line = (level: string, message: string) => `${JSON.stringify({ '@level': level, '@message': message })}\n`;

describe('processLog', () => {
  it('forwards each line at its own level, even when it arrives in chunks', () => {
    const log = recordingLog();
    const output = processLog(log, new FakeClock(), 10);
    output.stderr('{"@level":"warn","@mess');
    output.stderr('age":"slow","claim":"shop/data"}\nplain te');
    output.stderr('xt\n');
    output.stdout('printed\n');
    output.stderr('without an end');
    output.end();
    expect(log.lines).toEqual([
      { level: 'warn', message: 'slow', fields: { claim: 'shop/data' } },
      { level: 'debug', message: 'plain text', fields: {} },
      { level: 'debug', message: 'printed', fields: { printed: true } },
      { level: 'debug', message: 'without an end', fields: {} },
    ]);
  });

  it('limits a flood, counts missing lines, and still forwards warnings and errors', async () => {
    const clock = new FakeClock();
    const log = recordingLog();
    const output = processLog(log, clock, 3);
    for (let count = 1; count <= 10; count++) output.stderr(line('info', `line ${count}`));
    output.stderr(line('error', 'a grave one'));
    await clock.advance(1_000);
    output.stderr(line('info', 'later'));
    for (let count = 1; count <= 5; count++) output.stderr(line('error', `error ${count}`));
    output.end();
    expect(log.messages()).toEqual([
      'line 1',
      'line 2',
      'line 3',
      'a grave one',
      'the plugin program logs too much, lines of it were dropped',
      'later',
      'error 1',
      'error 2',
      'error 3',
      'the plugin program logs too much, lines of it were dropped',
    ]);
    const dropped = log.lines
      .filter(({ level }) => level === 'warn')
      .map(({ fields }) => [fields.lines, fields.levels]);
    expect(dropped).toEqual([
      [7, 'debug, info'],
      [2, 'warn, error'],
    ]);
  });

  it('logs a Go panic at info, because the caller reports the end of the program', () => {
    const log = recordingLog();
    const output = processLog(log, new FakeClock(), 10);
    output.stderr('panic: boom\n\ngoroutine 1 [running]:\n');
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'panic: boom'],
      ['info', 'goroutine 1 [running]:'],
    ]);
  });
});
