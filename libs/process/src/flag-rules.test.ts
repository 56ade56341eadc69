import { describe, expect, it } from 'vitest';
import { asksForHelp, commonFlags, flagRules } from './flag-rules.ts';

const { parse, commandOf, required, oneOf, logOf } = flagRules('some-program');
const wrong = (message: string) =>
  expect.objectContaining({ code: 'USAGE', message, nextStep: 'See some-program --help.' });

describe('the command line of a program in a pod', () => {
  it('has flags and what is none', () => {
    const options = { ...commonFlags, depth: { type: 'string' } } as const;
    const { values, positionals } = parse(['run', '--depth=3', '--log-format', 'json'], options);
    expect([values.depth, values['log-format'], positionals]).toEqual(['3', 'json', ['run']]);
    expect(() => parse(['--deep'], options)).toThrow(wrong("unknown option '--deep'"));
  });

  it('has one command that is known', () => {
    expect(commandOf(['run'], ['run', 'walk'])).toBe('run');
    expect(() => commandOf([], ['run'])).toThrow(wrong('a command is missing'));
    expect(() => commandOf(['fly'], ['run'])).toThrow(wrong('unknown command "fly"'));
    expect(() => commandOf(['run', 'far'], ['run'])).toThrow(wrong('unexpected argument "far"'));
  });

  it.each([[{ help: true }, ['run']] as const, [{}, ['help']] as const])('asks for help by %j %j', (values, words) => {
    expect(asksForHelp(values, words)).toBe(true);
    expect(asksForHelp({}, ['run'])).toBe(false);
  });

  it('refuses a value that is missing or none of the allowed', () => {
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
  ])('takes %s for the level %s', (given, level) => {
    expect(logOf(given === undefined ? {} : { 'log-level': given })).toEqual({ logLevel: level, logFormat: 'text' });
  });

  it('refuses levels and formats that nobody knows', () => {
    expect(() => logOf({ 'log-level': 'loud' })).toThrow(
      wrong('--log-level "loud" is not one of debug, info, warn, error'),
    );
    expect(() => logOf({ 'log-format': 'xml' })).toThrow(wrong('--log-format "xml" is not one of text, json'));
  });
});
