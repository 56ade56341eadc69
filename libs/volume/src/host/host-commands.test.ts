import { systemClock } from '@lateen/kernel';
import { expect, it } from 'vitest';
import { hostCommands } from './host-commands.ts';

const runCommand = hostCommands({ clock: systemClock, environment: process.env });
const options = { signal: new AbortController().signal, timeoutMs: 10_000 };

it('returns the output in English, and accepts the given exit codes', async () => {
  expect((await runCommand('sh', ['-c', 'echo $LC_ALL'], options)).stdout).toBe('C');
  expect(await runCommand('sh', ['-c', 'echo x; exit 3'], { ...options, okExitCodes: [0, 3] })).toEqual({
    stdout: 'x',
    exitCode: 3,
  });
});

it('reports which program failed, with its arguments and its output', async () => {
  await expect(runCommand('sh', ['-c', 'echo no space left >&2; exit 5'], options)).rejects.toMatchObject({
    code: 'COMMAND_FAILED',
    message: 'sh failed with exit code 5: no space left',
    details: { command: 'sh', exitCode: 5, stderr: 'no space left' },
  });
});

it('ends a program after its timeout, or when its call is aborted', async () => {
  await expect(runCommand('sleep', ['60'], { ...options, timeoutMs: 50 })).rejects.toMatchObject({
    message: 'sleep took longer than 50ms',
  });
  const enough = new AbortController();
  const running = runCommand('sleep', ['60'], { ...options, signal: enough.signal });
  await systemClock.sleep(50);
  enough.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

it('fails for a program with endless output', async () => {
  await expect(runCommand('yes', [], options)).rejects.toMatchObject({ code: 'COMMAND_FAILED' });
});

it('fails for a missing program', async () => {
  await expect(runCommand('lateen-no-such-program', [], { ...options, outlivesParent: true })).rejects.toMatchObject({
    code: 'COMMAND_FAILED',
  });
});
