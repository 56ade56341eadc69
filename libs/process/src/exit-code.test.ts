import { AppError } from '@lateen/errors';
import { CommanderError } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exitCodeOf } from './exit-code.ts';
import { serverExitCode } from './server/server-exit-code.ts';

describe('the exit code', () => {
  let told = '';
  beforeEach(() => {
    told = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      told += text;
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  const failing = (error: unknown) => async () => {
    throw error;
  };

  it('is the one that the program returns', async () => {
    expect(await exitCodeOf('p', async () => 3)).toBe(3);
    expect(await serverExitCode('p', async () => {})).toBe(0);
    expect(told).toBe('');
  });

  it.each([
    [new AppError('USAGE', 'no such flag', { nextStep: 'See p --help.' }), 2],
    [new AppError('CONFIG_INVALID', 'no namespace'), 1],
    [new TypeError('a defect'), 1],
  ])('after %s comes with the reason', async (error, code) => {
    expect(await exitCodeOf('p', failing(error))).toBe(code);
    expect(told).toMatch(new RegExp(`^p: .*${error.message}.*\\n$`));
    expect(await serverExitCode('p', failing(error))).toBe(code);
  });

  it('of help is 0, without further output', async () => {
    expect(await serverExitCode('p', failing(new CommanderError(0, 'commander.helpDisplayed', '(help)')))).toBe(0);
    expect(told).toBe('');
  });
});
