import { EventEmitter } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PodProgram, podExitCode } from './pod-exit-code.ts';

describe('a program that is the main process of its pod', () => {
  let directory: string;
  let exited: number[];
  let told: string;
  const path = () => join(directory, 'termination-log');
  const message = () => readFile(path(), 'utf8').catch(() => '');
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pod-program-'));
    exited = [];
    told = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      told += text;
      return true;
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(directory, { recursive: true });
  });

  /** The process is a double, so that the test survives its exit. */
  function program(main: () => Promise<number>, more: Partial<PodProgram> = {}) {
    const of = Object.assign(new EventEmitter(), { exit: (code: number) => void exited.push(code) as never });
    const environment = { LATEEN_TERMINATION_LOG: path() };
    return { of, ended: podExitCode({ name: 'p', environment, main, of: of as never, ...more }) };
  }
  const failing = (error: unknown) => async () => {
    throw error;
  };

  it.each([
    [new AppError('USAGE', 'no such flag', { nextStep: 'See p --help.' }), 2, 'p: no such flag. See p --help.'],
    [new AppError('CONFIG_INVALID', 'no namespace', { nextStep: 'Set it.' }), 1, 'p: no namespace. Set it.'],
    [new TypeError('x is not a function'), 1, 'p: x is not a function'],
  ])('reports why it could not start: %s', async (error, code, text) => {
    expect(await program(failing(error)).ended).toBe(code);
    expect(await message()).toBe(text);
    expect(told).toBe(`${text}\n`);
  });

  it('starts the message with the prefix that readers look for, and limits its length', async () => {
    await program(failing(new Error('€'.repeat(5_000))), { failurePrefix: 'Repo maintenance error: ' }).ended;
    expect(await message()).toMatch(/^Repo maintenance error: €+$/);
    expect(Buffer.byteLength(await message())).toBeLessThanOrEqual(4096);
  });

  it('keeps an existing termination message', async () => {
    const { of, ended } = program(async () => {
      await writeFile(path(), 'the result');
      return 0;
    });
    expect(await ended).toBe(0);
    of.emit('exit', 0);
    expect(await message()).toBe('the result');
    expect(of.eventNames()).toEqual([]);
  });

  it('ends at once on an uncaught exception, and reports it as a bug', async () => {
    const { of } = program(() => new Promise(() => {}));
    of.emit('uncaughtException', new TypeError('x is not a function'));
    expect(exited).toEqual([1]);
    of.emit('exit', 1);
    expect(await message()).toMatch(/^p: it failed unexpectedly: x is not a function\. This is a bug/);
    expect(told).toMatch(/TypeError: x is not a function\n +at /);
  });

  it('reports that it ended before its work was done', async () => {
    const { of } = program(() => new Promise(() => {}));
    of.emit('exit', 13);
    expect(await message()).toBe('p: it ended before its work was done. See the log of this pod.');
  });

  it('fails even when the termination message cannot be written', async () => {
    const environment = { LATEEN_TERMINATION_LOG: join(directory, 'none', 'termination-log') };
    expect(await program(failing(new Error('no')), { environment }).ended).toBe(1);
  });
});
