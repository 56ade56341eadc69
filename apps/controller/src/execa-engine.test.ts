import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { execaEngine } from './execa-engine.ts';

const engine = execaEngine('/bin/sh');
const env = { PATH: '/usr/bin:/bin' };

describe('execaEngine', () => {
  it('gives the child its input and only the environment it is given, and keeps what it says', async () => {
    const heard: string[] = [];
    const exit = await engine.run({
      args: ['-c', 'read line; echo "out $line $SECRET [$HOME]"; echo err >&2; exit 3'],
      env: { ...env, SECRET: 's' },
      stdin: 'hello\n',
      onStderr: (text) => heard.push(text),
    });
    expect(exit).toEqual({
      exitCode: 3,
      endedBy: undefined,
      stdout: 'out hello s []\n',
      stderr: 'err\n',
      aborted: false,
    });
    expect(heard.join('')).toBe('err\n');
  });

  it('asks with SIGINT when aborted, and resolves with how the child ended', async () => {
    const abort = new AbortController();
    const run = engine.run({
      args: ['-c', 'trap "exit 7" INT; echo ready >&2; while :; do sleep 0.05; done'],
      env,
      onStderr: () => abort.abort(new Error('stop')),
      signal: abort.signal,
    });
    expect(await run).toMatchObject({ exitCode: 7, aborted: true });
  });

  it('starts nothing when it is already aborted', async () => {
    const exit = await engine.run({ args: ['-c', 'echo ran'], env, signal: AbortSignal.abort(new Error('no')) });
    expect(exit).toMatchObject({ stdout: '', aborted: true });
  });

  it('pipes streams through the child, and ends it when one of them fails', async () => {
    const stdin = Readable.from([Buffer.from('a'), Buffer.from('b')]);
    const heard: string[] = [];
    const exit = await engine.run({
      args: ['-c', 'cat'],
      env,
      stdin,
      onStdout: (chunk) => void heard.push(`${chunk}`),
    });
    expect(exit).toMatchObject({ exitCode: 0, stdout: '' });
    expect(heard.join('')).toBe('ab');
    const refuse = () => Promise.reject(new Error('no room'));
    await expect(engine.run({ args: ['-c', 'cat /dev/zero'], env, onStdout: refuse })).rejects.toThrow('no room');
  });

  it('names a binary that is not there', async () => {
    await expect(execaEngine('/no/such/kopia').run({ args: [], env })).rejects.toMatchObject({
      code: 'ENGINE_NOT_STARTED',
      message: 'the engine "/no/such/kopia" cannot be started',
    });
  });
});
