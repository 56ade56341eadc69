import { spawn } from 'node:child_process';
import { systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { spawnedEngine } from './spawned-engine.ts';

const shell = (graceMs = 5_000) => spawnedEngine({ spawn, binary: '/bin/sh', clock: systemClock, graceMs });
const env = { PATH: '/usr/bin:/bin' };

describe('spawnedEngine', () => {
  it('gives the child its input and only the environment it is given, and keeps what it says', async () => {
    const heard: string[] = [];
    const exit = await shell().run({
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

  it('keeps the tail of a flood', async () => {
    const exit = await shell().run({
      args: ['-c', 'i=0; while [ $i -lt 4000 ]; do echo "line $i of many words that fill" >&2; i=$((i+1)); done'],
      env,
    });
    expect(exit.stderr.length).toBeLessThanOrEqual(64 * 1024);
    expect(exit.stderr.endsWith('line 3999 of many words that fill\n')).toBe(true);
  });

  it('asks with SIGINT when aborted, and reports how the child ended', async () => {
    const abort = new AbortController();
    const run = shell().run({
      args: ['-c', 'trap "echo got it >&2; exit 7" INT; echo ready >&2; while :; do sleep 0.05; done'],
      env,
      onStderr: () => abort.abort(new Error('stop')),
      signal: abort.signal,
    });
    expect(await run).toMatchObject({ exitCode: 7, aborted: true, stderr: 'ready\ngot it\n' });
  });

  it('kills a child that does not listen', async () => {
    const abort = new AbortController();
    const run = shell(50).run({
      args: ['-c', 'trap "" INT; echo ready >&2; while :; do sleep 0.05; done'],
      env,
      onStderr: () => abort.abort(new Error('stop')),
      signal: abort.signal,
    });
    expect(await run).toMatchObject({ exitCode: undefined, endedBy: 'SIGKILL', aborted: true });
  });

  it('starts nothing when it is already aborted', async () => {
    const exit = await shell().run({ args: ['-c', 'echo ran'], env, signal: AbortSignal.abort(new Error('no')) });
    expect(exit).toMatchObject({ stdout: '', aborted: true });
  });

  it('survives a child that ends without reading its input', async () => {
    const exit = await shell().run({ args: ['-c', 'exit 0'], env, stdin: 'x'.repeat(1_000_000) });
    expect(exit.exitCode).toBe(0);
  });

  it('names a binary that is not there', async () => {
    const missing = spawnedEngine({ spawn, binary: '/no/such/kopia', clock: systemClock, graceMs: 1 });
    await expect(missing.run({ args: [], env })).rejects.toMatchObject({
      code: 'ENGINE_NOT_STARTED',
      message: 'the engine "/no/such/kopia" cannot be started',
    });
  });
});
