import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAppError } from '@lateen/errors';
import { FakeClock } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.ts';
import { waitUntil } from './wait-until.ts';
import { readIfThere, writeFileAtomically } from './write-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-host-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('writes a file atomically, returns whether it changed, and leaves no temporary file', async () => {
  const path = join(folder, 'deep', 'file');
  expect(await writeFileAtomically(path, 'a', { secret: true })).toBe(true);
  expect(await writeFileAtomically(path, 'a', { secret: true })).toBe(false);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'deep'))).toEqual(['file']);
  expect(await readIfThere(join(folder, 'none'))).toBeUndefined();
});

describe('run', () => {
  it('includes the output of a failed program in its error', async () => {
    await expect(run('sh', ['-c', 'echo the reason >&2; exit 4'])).rejects.toThrow(/exit code 4:\nthe reason/);
  });

  it('names a program that is not installed', async () => {
    await expect(run('lateen-no-such-program', [])).rejects.toSatisfy((error) => isAppError(error, 'COMMAND_MISSING'));
  });

  it('returns an expected exit code, and passes output lines on as they arrive', async () => {
    const lines: string[] = [];
    const result = await run('sh', ['-c', 'echo a; echo b; exit 3'], {
      acceptCodes: [3],
      onLine: (line) => lines.push(line),
    });
    expect(result).toEqual({ exitCode: 3, stdout: 'a\nb' });
    expect(lines).toEqual(['a', 'b']);
  });

  it('ends the program with the signal, and throws its reason', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(run('sleep', ['60'], { signal })).rejects.toThrow('enough');
  });
});

describe('waitUntil', () => {
  it('gives up at the timeout, with the last reason', async () => {
    const clock = new FakeClock();
    const waiting = waitUntil(() => Promise.reject(new Error('refused')), {
      what: 'it answers',
      timeoutMs: 2_000,
      clock,
    });
    const outcome = expect(waiting).rejects.toThrow('waited 2s until it answers, without success: refused');
    await clock.advance(2_100);
    await outcome;
  });

  it('stops immediately when waiting is useless', async () => {
    const clock = new FakeClock();
    const hopeless = () => new Error('the process ended');
    const waiting = waitUntil(async () => false, { what: 'x', timeoutMs: 60_000, clock, hopeless });
    await expect(waiting).rejects.toThrow('the process ended');
  });
});
