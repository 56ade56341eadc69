import { describe, expect, it } from 'vitest';
import { isPanic, pluginLogReader, pluginLogText } from './log-line.ts';

describe('pluginLogReader', () => {
  it.each([
    [
      '{"@level":"warn","@message":"slow","level":"warning","@logSourceSetBy":"plugin","logSource":"a.go:3","n":1}',
      { level: 'warn', message: 'slow', fields: { logSource: 'a.go:3', n: 1 } },
    ],
    [
      '{"@level":"trace","@message":"m","@module":"x","@timestamp":"2030-01-01T00:00:00.000000Z"}',
      { level: 'debug', message: 'm', fields: { '@module': 'x' } },
    ],
    ['{"@level":"fatal","@message":"gone"}', { level: 'error', message: 'gone', fields: {} }],
    ['{"level":"info","msg":"other"}', { level: 'debug', message: '{"level":"info","msg":"other"}', fields: {} }],
    ['{"@level":7,"@message":[]}', { level: 'debug', message: '{"@level":7,"@message":[]}', fields: {} }],
    ['{ not JSON', { level: 'debug', message: '{ not JSON', fields: {} }],
    ['[ERROR] broken', { level: 'error', message: '[ERROR] broken', fields: {} }],
    ['some words', { level: 'debug', message: 'some words', fields: {} }],
  ])('reads %s', (line, read) => expect(pluginLogReader()(line)).toEqual(read));

  it('logs a panic with all its lines', () => {
    const read = pluginLogReader();
    const lines = [
      'before',
      'panic: nil map',
      '',
      'goroutine 7 [running]:',
      '{"@level":"error","@message":"m"}',
      'main.go:3',
    ];
    expect(lines.map((line) => read(line).level)).toEqual(['debug', 'info', 'info', 'info', 'error', 'info']);
  });

  it('reads the output of pluginLogText', () => {
    const line = { level: 'info', message: 'a "quoted" line\nand a second', fields: { pvc: 'shop/data' } } as const;
    expect(pluginLogReader()(pluginLogText(line))).toEqual(line);
    expect(JSON.parse(pluginLogText(line, 'example.io/a'))).toMatchObject({ '@module': 'example.io/a' });
  });
});

describe('isPanic', () => {
  it.each([
    ['panic: nil map', true],
    ['fatal error: all goroutines are asleep - deadlock!', true],
    ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', true],
    ['a panic: no', false],
    ['Fatal', false],
  ])('of %j is %s', (line, panics) => expect(isPanic(line)).toBe(panics));
});
