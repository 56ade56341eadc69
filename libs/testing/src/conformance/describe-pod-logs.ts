import { isAppError } from '@lateen/errors';
import type { ObjectKey, PodLogOptions, PodLogs } from '@lateen/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookTimeoutMs } from './conformance-subject.ts';

/** A pod with one container whose output and end the tests control. */
export interface TalkingPod {
  key: ObjectKey;
  container: string;
  write(text: string): Promise<void> | void;
  end(): Promise<void> | void;
}

export interface PodLogsUnderTest {
  logs: PodLogs;
  namespace: string;
  /** Starts a pod; resolves when its container runs. */
  start(): Promise<TalkingPod>;
  /** Lets a second pass on the clock that sets the timestamps. */
  nextSecond(): Promise<void>;
  close(): Promise<void>;
}

const stamped = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(Z|[+-]\d\d:\d\d) (.*)$/;
/** Long, for a real kubelet on a busy machine. */
const testTimeoutMs = 60_000;

/** The conformance suite of PodLogs, based on the documented behaviour of `GET …/pods/{name}/log`. */
export function describePodLogs(name: string, setUp: () => Promise<PodLogsUnderTest>): void {
  describe(`PodLogs: ${name}`, { timeout: testTimeoutMs }, () => {
    let under: PodLogsUnderTest;
    beforeAll(async () => {
      under = await setUp();
    }, hookTimeoutMs);
    afterAll(() => under?.close(), hookTimeoutMs);

    const read = async (pod: TalkingPod, options: PodLogOptions = {}): Promise<string> => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of under.logs.stream(pod.key, { container: pod.container, ...options }))
        chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    };

    it('returns what was written, also of an ended container', async () => {
      const pod = await under.start();
      await pod.write('one\ntwo\n');
      await expect.poll(() => read(pod), { timeout: testTimeoutMs }).toBe('one\ntwo\n');
      await pod.end();
      expect(await read(pod)).toBe('one\ntwo\n');
      expect(await read(pod, { follow: true })).toBe('one\ntwo\n');
      expect(await read(pod, { tailLines: 1 })).toBe('two\n');
    });

    it('rejects an impossible pod name, because the path would mean something else', async () => {
      for (const key of [{ namespace: under.namespace, name: '' }, { namespace: '', name: 'a' }, { name: 'a' }]) {
        const first = under.logs.stream(key, {})[Symbol.asyncIterator]().next();
        await expect(first).rejects.toMatchObject({ code: 'KUBE_BAD_REQUEST' });
      }
    });

    it('adds a timestamp with nanoseconds to each line, and omits the seconds before sinceTime', async () => {
      const pod = await under.start();
      await pod.write('one\n');
      await under.nextSecond();
      await pod.write('two\nthree\n');
      await pod.end();
      const lines = (await read(pod, { timestamps: true })).trimEnd().split('\n');
      expect(lines.map((line) => stamped.exec(line)?.[2])).toEqual(['one', 'two', 'three']);
      const at = lines.map((line) => line.split(' ')[0] ?? '');
      expect(at.toSorted()).toEqual(at);
      const second = (at[1] ?? '').replace(/\.\d+/, '');
      expect(await read(pod, { sinceTime: second })).toBe('two\nthree\n');
      expect(await read(pod, { sinceTime: second, timestamps: true })).toBe(`${lines.slice(1).join('\n')}\n`);
    });

    it('follows the container as it writes, until it ends', async () => {
      const pod = await under.start();
      await pod.write('one\n');
      let seen = '';
      const following = (async () => {
        const options = { container: pod.container, follow: true };
        for await (const chunk of under.logs.stream(pod.key, options)) seen += Buffer.from(chunk).toString('utf8');
      })();
      await expect.poll(() => seen, { timeout: testTimeoutMs }).toBe('one\n');
      await pod.write('two\n');
      await expect.poll(() => seen, { timeout: testTimeoutMs }).toBe('one\ntwo\n');
      await pod.write('three\n');
      await pod.end();
      await following;
      expect(seen).toBe('one\ntwo\nthree\n');
    });

    it('ends with the signal’s reason, and when the loop is left', async () => {
      const pod = await under.start();
      await pod.write('one\n');
      const stop = new AbortController();
      const following = read(pod, { follow: true, signal: stop.signal });
      following.catch(() => {});
      for await (const _ of under.logs.stream(pod.key, { container: pod.container, follow: true })) break;
      stop.abort(new Error('enough'));
      await expect(following).rejects.toThrow('enough');
      await pod.end();
    });

    it('rejects a missing pod', async () => {
      const missing: TalkingPod = {
        key: { namespace: under.namespace, name: 'missing' },
        container: 'main',
        write: () => {},
        end: () => {},
      };
      const error = await read(missing).catch((reason: unknown) => reason);
      expect(isAppError(error, 'KUBE_NOT_FOUND')).toBe(true);
    });
  });
}
