import { once } from 'node:events';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import winston from 'winston';
import TransportStream from 'winston-transport';
import { makeLogger } from './make-logger.ts';
import { winstonTransport } from './winston-transport.ts';

/** A winston logger whose lines go to a logger of this library. */
function loggers(format: 'json' | 'text' = 'json') {
  const written: string[] = [];
  const destination = { write: (lines: string) => void written.push(lines) };
  const log = makeLogger({ level: 'debug', format, destination, clock: new FakeClock() });
  const transport = winstonTransport(log.child({ plugin: 'p' }));
  const plugin = winston.createLogger({ level: 'silly', transports: [transport] });
  const lines = async () => {
    plugin.end();
    await once(transport, 'finish');
    return written.join('').trimEnd().split('\n');
  };
  return { plugin, log, lines };
}

describe('the winston transport', () => {
  it('writes one line for each line of winston, with its fields, and no secrets', async () => {
    const { plugin, log, lines } = loggers();
    plugin.info('copied', { files: 3, password: 'hunter2' });
    log.info({}, 'our own');
    plugin.child({ item: 'pod' }).error('failed\nbadly');
    expect((await lines()).map((line) => JSON.parse(line))).toEqual([
      { level: 'info', time: '2030-01-01T00:00:00.000Z', plugin: 'p', files: 3, password: '[redacted]', msg: 'copied' },
      { level: 'info', time: '2030-01-01T00:00:00.000Z', msg: 'our own' },
      { level: 'error', time: '2030-01-01T00:00:00.000Z', plugin: 'p', item: 'pod', msg: 'failed\nbadly' },
    ]);
  });
  it.each([
    ['error', 'error'],
    ['warn', 'warning'],
    ['info', 'info'],
    ['http', 'debug'],
    ['verbose', 'debug'],
    ['debug', 'debug'],
    ['silly', 'debug'],
  ])('maps %s to %s', async (level, ours) => {
    const { plugin, lines } = loggers('text');
    plugin.log(level, 'a word');
    expect(await lines()).toEqual([`time="2030-01-01T00:00:00.000Z" level=${ours} msg="a word" plugin=p`]);
  });
  it('ignores the colours of a format when it reads the level', async () => {
    const { plugin, lines } = loggers('text');
    plugin.format = winston.format.colorize();
    plugin.warn('a word');
    expect((await lines())[0]).toContain('level=warning');
  });
  it('is a winston transport, and keeps the values of its options', async () => {
    const written: string[] = [];
    const destination = { write: (lines: string) => void written.push(lines) };
    const transport = winstonTransport(
      makeLogger({ level: 'debug', format: 'text', destination, clock: new FakeClock() }),
    );
    expect(transport).toBeInstanceOf(TransportStream);
    const plugin = winston.createLogger({ transports: [transport] });
    plugin.debug('the logger of the plugin is at info');
    transport.silent = true;
    plugin.error('nobody wants to hear it');
    transport.silent = false;
    plugin.info('heard');
    plugin.remove(transport);
    plugin.add(new winston.transports.Console({ silent: true }));
    plugin.error('the transport was taken away');
    plugin.end();
    expect(written.join('')).toBe('time="2030-01-01T00:00:00.000Z" level=info msg=heard\n');
  });
});
