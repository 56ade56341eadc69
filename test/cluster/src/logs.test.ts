import { type Pod, podType } from '@lateen/api-types';
import { podShell } from '@lateen/demo';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { followPodLog, waitForObject } from '@lateen/kube-runtime';
import { describePodLogs, type TalkingPod } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

const signal = AbortSignal.any([]);
const namespace = 'default';
const container = 'main';
const startMsMax = 120_000;

/** Prints what is appended to /tmp/out, and ends when /tmp/end exists and everything is printed. */
const script = [
  // `sh` reports the end of background processes; the log must have only what the tests write.
  'exec 2> /dev/null',
  'touch /tmp/out',
  'tail -c +1 -f /tmp/out & writer=$!',
  'while [ ! -e /tmp/end ]; do sleep 0.1; done',
  'sleep 1.5; kill $writer; wait $writer; exit 0',
].join('; ');

/** A pod on the real kubelet that prints what a test wants. */
async function talkingPod({ kube, image, kubectl, kubeconfig }: LateenUnderTest): Promise<TalkingPod> {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `talks-${systemRandom.suffix(5)}`, namespace },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: container, image, imagePullPolicy: 'Never', command: ['sh', '-c', script] }],
    },
  };
  const key = keyOf(await kube.create(podType, pod));
  const until = (phase: string) =>
    waitForObject<Pod, true>({
      api: kube,
      type: podType,
      key,
      clock: systemClock,
      signal: systemClock.deadline(startMsMax),
      until: (seen) => seen?.status?.phase === phase || undefined,
    });
  await until('Running');
  const shell = podShell({ kubectl, kubeconfig, namespace, pod: key.name, signal });
  return {
    key,
    container,
    write: async (text) => {
      await shell.run(['sh', '-c', 'cat >> /tmp/out'], text);
    },
    end: async () => {
      await shell.run(['touch', '/tmp/end']);
      await until('Succeeded');
    },
  };
}

const made: TalkingPod[] = [];
let lateen: LateenUnderTest;
beforeAll(async () => {
  lateen = await lateenUnderTest();
});
afterAll(async () => {
  for (const { key } of made) await lateen.kube.delete(podType, key).catch(() => {});
  await lateen.kube.close();
});
const start = async (): Promise<TalkingPod> => {
  const pod = await talkingPod(lateen);
  made.push(pod);
  return pod;
};

describePodLogs('a real kubelet, through kube-client', async () => {
  const under = await lateenUnderTest();
  return {
    logs: under.kube,
    namespace,
    start,
    nextSecond: () => systemClock.sleep(1_200),
    close: () => under.kube.close(),
  };
});

describe('following a log on a real kubelet', () => {
  it('shows lines while the container runs, and has all of them although the pod is deleted meanwhile', async () => {
    const pod = await start();
    const ended = new AbortController();
    let text = '';
    const following = (async () => {
      const ports = { logs: lateen.kube, clock: systemClock, random: systemRandom, log: silentLogger };
      const options = { ...ports, pod: pod.key, container, ended: ended.signal, signal };
      for await (const bytes of followPodLog(options)) text += Buffer.from(bytes).toString('utf8');
    })();
    await pod.write('first\n');
    await expect.poll(() => text, { timeout: 30_000 }).toBe('first\n');
    const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n} ${'x'.repeat(n % 200)}\n`).join('');
    await pod.write(lines);
    await expect.poll(() => text.length, { timeout: 30_000 }).toBeGreaterThan('first\n'.length);
    // The pod object is gone immediately; what the container has written still arrives through the open stream.
    await lateen.kube.delete(podType, pod.key, { gracePeriodSeconds: 0 });
    ended.abort();
    await following;
    expect(text).toBe(`first\n${lines}`);
  });

  it('reads the log of an ended container completely', async () => {
    const pod = await start();
    await pod.write('one\ntwo\n');
    await pod.end();
    let text = '';
    const ports = { logs: lateen.kube, clock: systemClock, random: systemRandom, log: silentLogger };
    const options = { ...ports, pod: pod.key, container, ended: AbortSignal.abort(), signal };
    for await (const bytes of followPodLog(options)) text += Buffer.from(bytes).toString('utf8');
    expect(text).toBe('one\ntwo\n');
  });
});
