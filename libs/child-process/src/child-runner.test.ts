import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { childRunner } from './child-runner.ts';

const shell = (graceMs = 5_000) => childRunner({ program: '/bin/sh', clock: systemClock, graceMs });
const env = { PATH: '/usr/bin:/bin' };
const chunksOf = (whole: Buffer, size: number) =>
  Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
    whole.subarray(index * size, (index + 1) * size),
  );

describe('childRunner', () => {
  it('passes the child its input and only the given environment, and returns its output', async () => {
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

  it('runs the child in the given directory', async () => {
    expect((await shell().run({ args: ['-c', 'pwd'], env, cwd: '/usr' })).stdout).toBe('/usr\n');
  });

  it('passes open files to the child', async () => {
    await using file = await open('/proc/self/comm');
    const { stdout } = await shell().run({ args: ['-c', 'cat /proc/self/fd/3'], env, files: [file.fd] });
    expect(stdout).not.toBe('');
    expect((await shell().run({ args: ['-c', 'cat /proc/self/fd/3'], env })).exitCode).not.toBe(0);
  });

  it('keeps the last part of a long output', async () => {
    const exit = await shell().run({
      args: ['-c', 'i=0; while [ $i -lt 4000 ]; do echo "line $i of many words that fill" >&2; i=$((i+1)); done'],
      env,
    });
    expect(exit.stderr.length).toBeLessThanOrEqual(64 * 1024);
    expect(exit.stderr.endsWith('line 3999 of many words that fill\n')).toBe(true);
  });

  it('sends SIGINT on abort, and reports how the child ended', async () => {
    const abort = new AbortController();
    const run = shell().run({
      args: ['-c', 'trap "echo got it >&2; exit 7" INT; echo ready >&2; while :; do sleep 0.05; done'],
      env,
      onStderr: () => abort.abort(new Error('stop')),
      signal: abort.signal,
    });
    expect(await run).toMatchObject({ exitCode: 7, aborted: true, stderr: 'ready\ngot it\n' });
  });

  it('kills a child that ignores the signal', async () => {
    const abort = new AbortController();
    const run = shell(50).run({
      args: ['-c', 'trap "" INT; echo ready >&2; while :; do sleep 0.05; done'],
      env,
      onStderr: () => abort.abort(new Error('stop')),
      signal: abort.signal,
    });
    expect(await run).toMatchObject({ exitCode: undefined, endedBy: 'SIGKILL', aborted: true });
  });

  it('starts nothing when the signal is already aborted', async () => {
    const exit = await shell().run({ args: ['-c', 'echo ran'], env, signal: AbortSignal.abort(new Error('no')) });
    expect(exit).toMatchObject({ stdout: '', aborted: true });
  });

  it('handles a child that ends without reading its input', async () => {
    const exit = await shell().run({ args: ['-c', 'exit 0'], env, stdin: 'x'.repeat(1_000_000) });
    expect(exit.exitCode).toBe(0);
  });

  describe('with streams', () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    async function* pieces(count: number, onPiece: (index: number) => void = () => {}) {
      for (let index = 0; index < count; index++) {
        onPiece(index);
        yield mebibyte;
      }
    }

    it('pipes a source through a child, byte for byte', async () => {
      const source = randomBytes(3_000_001);
      const heard: Buffer[] = [];
      const exit = await shell().run({
        args: ['-c', 'cat'],
        env,
        stdin: Readable.from(chunksOf(source, 70_001)),
        onStdout: (chunk) => void heard.push(chunk),
      });
      expect(exit).toEqual({ exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false });
      expect(Buffer.concat(heard).equals(source)).toBe(true);
    });

    it('reads a source only as fast as the child does', async () => {
      const asked: number[] = [];
      const abort = new AbortController();
      const run = shell().run({
        // Reads one byte, reports it, and then reads nothing.
        args: ['-c', 'head -c 1 >/dev/null; echo read >&2; while :; do sleep 0.05; done'],
        env,
        stdin: pieces(50, (index) => asked.push(index)),
        onStderr: () => abort.abort(new Error('stop')),
        signal: abort.signal,
      });
      expect(await run).toMatchObject({ aborted: true });
      expect(asked).toEqual([0]);
    });

    it('blocks the child while a chunk of its output is being processed', async () => {
      let busy = 0;
      let bytes = 0;
      const exit = await shell().run({
        args: ['-c', 'head -c 2000000 /dev/zero'],
        env,
        onStdout: async (chunk) => {
          expect(++busy).toBe(1);
          await setImmediate();
          bytes += chunk.length;
          busy--;
        },
      });
      expect(exit).toMatchObject({ exitCode: 0, stdout: '' });
      expect(bytes).toBe(2_000_000);
    });

    it('reports a child that ends before it has read its input, and closes the source', async () => {
      let released = false;
      async function* source() {
        try {
          yield* pieces(100);
        } finally {
          released = true;
        }
      }
      const exit = await shell().run({ args: ['-c', 'head -c 5; exit 4'], env, stdin: source() });
      expect(exit).toMatchObject({ exitCode: 4, stdout: 'xxxxx' });
      expect(released).toBe(true);
    });

    it('never lets a child end its input normally when the source fails', async () => {
      async function* source() {
        yield mebibyte;
        throw new Error('EIO');
      }
      const said: string[] = [];
      const run = shell().run({
        args: ['-c', 'trap "echo interrupted >&2; exit 1" INT; cat >/dev/null; echo whole >&2'],
        env,
        stdin: source(),
        onStderr: (text) => said.push(text),
      });
      await expect(run).rejects.toThrow('EIO');
      expect(said.join('')).not.toContain('whole');
    });

    it('ends the child when its output cannot be processed, even at the last chunk', async () => {
      const refuse = () => Promise.reject(new Error('no room'));
      const endless = shell().run({ args: ['-c', 'cat /dev/zero'], env, onStdout: refuse });
      await expect(endless).rejects.toThrow('no room');
      await expect(shell().run({ args: ['-c', 'echo x'], env, onStdout: refuse })).rejects.toThrow('no room');
    });

    it('ends on abort even when source and consumer never settle', async () => {
      const abort = new AbortController();
      async function* silent() {
        yield mebibyte.subarray(0, 10);
        await new Promise(() => {});
      }
      const run = shell(50).run({
        args: ['-c', 'trap "" INT; cat'],
        env,
        stdin: silent(),
        onStdout: () => {
          abort.abort(new Error('stop'));
          return new Promise(() => {});
        },
        signal: abort.signal,
      });
      expect(await run).toMatchObject({ aborted: true });
    });
  });

  it('reports the pid of a running child', async () => {
    const pids: number[] = [];
    const exit = await shell().run({ args: ['-c', 'echo $$'], env, onStart: (pid) => pids.push(pid) });
    expect(pids).toEqual([Number(exit.stdout)]);
  });

  it('reports that a program could not be started, even when the system rejects its arguments', async () => {
    const run = shell().run({ args: ['-c', 'true', 'x'.repeat(200_000)], env });
    await expect(run).rejects.toMatchObject({ code: 'PROGRAM_NOT_STARTED', cause: { code: 'E2BIG' } });
  });

  it('reports a missing binary', async () => {
    const missing = childRunner({ program: '/no/such/kopia', clock: systemClock, graceMs: 1 });
    await expect(missing.run({ args: [], env })).rejects.toMatchObject({
      code: 'PROGRAM_NOT_STARTED',
      message: 'the program "/no/such/kopia" cannot be started',
    });
  });
});
