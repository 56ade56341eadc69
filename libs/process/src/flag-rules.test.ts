import { describe, expect, it } from 'vitest';
import { commonFlags, flagRules } from './flag-rules.ts';

const { read, required, oneOf, logOf } = flagRules('some-program');
const wrong = (message: string) =>
  expect.objectContaining({ code: 'USAGE', message, nextStep: 'See some-program --help.' });

describe('the command line of a program in a pod', () => {
  const options = { ...commonFlags, depth: { type: 'string' }, speed: { type: 'string' } } as const;
  const commands = { run: ['speed'], dive: ['speed', 'depth'] } as const;
  const line = (...argv: string[]) => read(argv, options, commands);

  it('accepts one command, and flags before and after it', () => {
    expect(line('--log-format', 'json', 'dive', '--depth=3')).toEqual({
      command: 'dive',
      values: expect.objectContaining({ depth: '3', 'log-format': 'json' }),
    });
    expect(line('run', '--speed=9')).toMatchObject({ command: 'run' });
  });

  it.each([
    [[], 'a command is missing'],
    [['fly'], 'unknown command "fly"'],
    [['run', 'far'], 'unexpected argument "far"'],
    [['run', '--deep'], "unknown option '--deep'"],
    [['run', '--depth=3'], '--depth does not belong to run'],
  ])('%j: %s', (argv, message) => expect(() => line(...argv)).toThrow(wrong(message)));

  it.each([[['--help']], [['help']], [['dive', '-h']], [['--help', 'fly', 'far']]])('shows help for %j', (argv) => {
    expect(line(...argv)).toBeUndefined();
  });

  it('rejects a missing or unknown value', () => {
    expect(required('name', 'x')).toBe('x');
    for (const none of [undefined, '']) expect(() => required('name', none)).toThrow(wrong('--name is required'));
    expect(() => oneOf('mode', 'c', ['a', 'b'])).toThrow(wrong('--mode "c" is not one of a, b'));
  });

  it.each([
    [undefined, 'info'],
    ['warn', 'warn'],
    ['warning', 'warn'],
    ['trace', 'debug'],
    ['fatal', 'error'],
    ['panic', 'error'],
  ])('maps %s to the level %s', (given, level) => {
    expect(logOf(given === undefined ? {} : { 'log-level': given })).toEqual({ logLevel: level, logFormat: 'text' });
  });

  it('rejects unknown levels and formats', () => {
    expect(() => logOf({ 'log-level': 'loud' })).toThrow(
      wrong('--log-level "loud" is not one of debug, info, warn, error'),
    );
    expect(() => logOf({ 'log-format': 'xml' })).toThrow(wrong('--log-format "xml" is not one of text, json'));
  });
});
