import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isAppError } from '@lateen/errors';
import type { ObjectKey, PodExec } from '@lateen/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookTimeoutMs } from './conformance-subject.ts';

export interface PodExecUnderTest {
  exec: PodExec;
  /** A pod whose container runs and has `/bin/sh`, `cat` and `sleep`. */
  pod: ObjectKey;
  container: string;
  /** Ends the pod at once; resolves when that is requested. */
  endPod(): Promise<void> | void;
  close(): Promise<void>;
}

/** Long, for a real kubelet on a busy machine. */
const testTimeoutMs = 60_000;

/** The conformance suite of PodExec, based on the documented behaviour of `POST …/pods/{name}/exec`. */
export function describePodExec(name: string, setUp: () => Promise<PodExecUnderTest>): void {
  describe(`PodExec: ${name}`, { timeout: testTimeoutMs }, () => {
    let under: PodExecUnderTest;
    beforeAll(async () => {
      under = await setUp();
    }, hookTimeoutMs);
    afterAll(() => under?.close(), hookTimeoutMs);

    const run = async (command: readonly string[], input?: string) => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const stdin = input === undefined ? {} : { stdin: Readable.from([Buffer.from(input)]) };
      const [{ exitCode }, out, err] = await Promise.all([
        under.exec.exec(under.pod, under.container, command, { stdout, stderr, ...stdin }),
        text(stdout),
        text(stderr),
      ]);
      return { exitCode, out, err };
    };
    const refusalOf = (call: Promise<unknown>) =>
      call.then(
        () => 'no error',
        (error: unknown) => (isAppError(error) ? [error.code, error.details.httpStatus === 404] : error),
      );

    it('returns both outputs separately, and the exit code', async () => {
      const script = 'printf out; printf err >&2; exit 3';
      expect(await run(['sh', '-c', script])).toEqual({ exitCode: 3, out: 'out', err: 'err' });
      expect(await run(['true'])).toEqual({ exitCode: 0, out: '', err: '' });
    });

    it('splits no argument, because no shell is involved', async () => {
      expect((await run(['printf', '%s|', 'a b', '$HOME', 'c;d'])).out).toBe('a b|$HOME|c;d|');
    });

    it('passes the command its complete input', async () => {
      expect((await run(['cat'], 'hello\n')).out).toBe('hello\n');
    });

    it('rejects a missing pod and a missing container with different errors', async () => {
      const { exec, pod, container } = under;
      const missing = exec.exec({ ...pod, name: 'missing' }, container, ['true']);
      expect(await refusalOf(missing)).toEqual(['KUBE_EXEC_FAILED', true]);
      expect(await refusalOf(exec.exec(pod, 'missing', ['true']))).toEqual(['KUBE_EXEC_FAILED', false]);
    });

    it('distinguishes a missing program from a failed one', async () => {
      const outcome = await under.exec
        .exec(under.pod, under.container, ['/no/such/program'])
        .catch((error: unknown) => error);
      // Runtimes differ: an exit code of the shell (126, 127), or an error that it could not be started.
      if (isAppError(outcome)) expect(outcome.code).toBe('KUBE_EXEC_FAILED');
      else expect([126, 127]).toContain((outcome as { exitCode: number }).exitCode);
    });

    it('ends with the reason of the abort while the command runs', async () => {
      const stop = new AbortController();
      const stdout = new PassThrough();
      const command = ['sh', '-c', 'echo ready; exec sleep 30'];
      const call = under.exec.exec(under.pod, under.container, command, { stdout, signal: stop.signal });
      call.catch(() => {});
      stdout.once('data', () => stop.abort(new Error('enough')));
      await expect(call).rejects.toThrow('enough');
    });

    // The last test, because it deletes the pod.
    it('does not wait for a command whose pod has ended', async () => {
      const stdout = new PassThrough();
      const call = under.exec.exec(under.pod, under.container, ['sh', '-c', 'echo ready; exec sleep 600'], { stdout });
      const outcome = call.then(
        ({ exitCode }) => (exitCode === 0 ? 'success' : 'failure'),
        (error: unknown) => (isAppError(error, 'KUBE_EXEC_FAILED') ? 'failure' : error),
      );
      await new Promise<void>((resolve) => stdout.once('data', () => resolve()));
      await under.endPod();
      expect(await outcome).toBe('failure');
    });
  });
}
