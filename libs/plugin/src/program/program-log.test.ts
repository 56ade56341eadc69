import { pluginLogReader } from '@lateen/plugin-protocol';
import { describe, expect, it } from 'vitest';
import winston from 'winston';
import { winstonTransport } from '../winston.ts';
import { logLevelIn, programLog } from './program-log.ts';

function recorded(level: 'debug' | 'info' = 'info') {
  const lines: string[] = [];
  const log = programLog({ level, destination: { write: (line) => void lines.push(line) } });
  const read = pluginLogReader();
  return { log, lines, read: () => lines.map((line) => read(line.trimEnd())) };
}

describe('the log of a program', () => {
  it('has one line of JSON per message, however many lines the message has', () => {
    const { log, lines } = recorded();
    log.warn({ pod: 'shop/web' }, 'two\nlines');
    expect(lines).toEqual(['{"pod":"shop/web","@level":"warn","@message":"two\\nlines"}\n']);
  });

  it('skips messages below its level', () => {
    const { log, lines } = recorded();
    log.debug({}, 'not seen');
    expect(lines).toEqual([]);
  });

  it('keeps the message when the fields are too long for one line of the host', () => {
    const { log, lines, read } = recorded();
    log.info({ list: Array(500).fill('x'.repeat(1_000)) }, 'much');
    expect(lines[0]?.length).toBeLessThan(64 * 1024);
    expect(read()).toEqual([
      { level: 'info', message: 'much', fields: { left: 'fields left out: the line is too long' } },
    ]);
  });

  it('accepts the lines of a winston logger, with their levels', () => {
    const { log, read } = recorded();
    const existing = winston.createLogger({ transports: [winstonTransport(log)] });
    existing.warn('slow', { pvc: 'data' });
    existing.http('not seen');
    expect(read()).toEqual([{ level: 'warn', message: 'slow', fields: { pvc: 'data' } }]);
  });
});

describe('the log level', () => {
  it.each([
    [[], 'info'],
    [['--log-level', 'debug'], 'debug'],
    [['--features=a', '--log-level=warning'], 'warn'],
    [['--log-level', 'TRACE'], 'debug'],
    [['--log-level', 'panic'], 'error'],
    [['--log-level=loud'], 'info'],
    [['--log-level'], 'info'],
  ])('with the arguments %j is %s', (args, level) => expect(logLevelIn(args)).toBe(level));
});
