import { aborted } from 'node:util';
import { kubeError, type PodLogOptions, type PodLogs } from '@lateen/kube';
import { FakeClock, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type FollowPodLogOptions, followPodLog } from './follow-pod-log.ts';

const pod = { namespace: 'velero', name: 'du-1' };
/** A number is the silence before the next step, in milliseconds. */
type Step = string | Error | number;

/** Logs that answer each request with the next script: texts, then an end or an error. `hang` keeps the stream open. */
function scripted(...scripts: (readonly Step[] | 'hang')[]): PodLogs & { asked: PodLogOptions[]; clock: FakeClock } {
  const asked: PodLogOptions[] = [];
  const clock = new FakeClock();
  return {
    asked,
    clock,
    stream: async function* (_, options) {
      asked.push(options);
      const script = scripts.shift();
      if (script === 'hang') {
        const { signal = new AbortController().signal } = options;
        await aborted(signal, options);
        throw signal.reason;
      }
      for (const step of script ?? []) {
        if (step instanceof Error) throw step;
        if (typeof step === 'number') await clock.sleep(step, options.signal);
        else yield Buffer.from(step);
      }
    },
  };
}

function follow(logs: PodLogs & { clock?: FakeClock }, options: Partial<FollowPodLogOptions> = {}) {
  const { clock = new FakeClock() } = logs;
  const ended = new AbortController();
  const stop = new AbortController();
  const log = recordingLog();
  const chunks: Uint8Array[] = [];
  const work = (async () => {
    const common = { logs, pod, container: 'mover', clock, random: seededRandom(1), log };
    for await (const bytes of followPodLog({ ...common, ended: ended.signal, signal: stop.signal, ...options })) {
      chunks.push(bytes);
    }
  })();
  const error = work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { clock, ended, stop, log, error, text: () => Buffer.concat(chunks).toString('utf8') };
}
const at = (second: number, nanos = 0) => `2030-01-01T00:00:0${second}.${String(nanos).padStart(9, '0')}Z`;
const broken = new Error('connection reset');

describe('following a pod log', () => {
  it('removes the timestamps and reads the rest after the container has ended', async () => {
    const logs = scripted([`${at(1)} one\n${at(1, 5)} tw`, 'o\n'], [`${at(1)} one\n${at(1, 5)} two\n${at(2)} three\n`]);
    const { ended, error, text } = follow(logs);
    await letWorkRun();
    expect(text()).toBe('one\ntwo\n');
    ended.abort();
    expect(await error).toBeUndefined();
    expect(text()).toBe('one\ntwo\nthree\n');
    expect(logs.asked.map(({ follow: follows, sinceTime, timestamps }) => [follows, sinceTime, timestamps])).toEqual([
      [true, undefined, true],
      [false, '2030-01-01T00:00:01Z', true],
    ]);
  });

  it('requests the log of an ended container once', async () => {
    const logs = scripted([`${at(1)} one\n`]);
    const { error, text } = follow(logs, { ended: AbortSignal.abort() });
    expect(await error).toBeUndefined();
    expect([text(), logs.asked.length]).toEqual(['one\n', 1]);
  });

  it.each<[string, string, string[]]>([
    ['between two lines', `${at(1)} one\n${at(2)} two\n`, []],
    ['inside a line', `${at(1)} one\n${at(2)} tw`, []],
    ['inside a timestamp', `${at(1)} one\n${at(2)} two\n${at(3).slice(0, 9)}`, []],
    ['among lines with the same timestamp', `${at(1)} one\n${at(2)} two\n${at(2)} thr`, []],
  ])('continues after a connection that broke %s', async (_, first) => {
    const rest = `${at(2)} two\n${at(2)} three\n${at(3)} four\n`;
    const logs = scripted([first, broken], [rest]);
    const { clock, ended, error, text } = follow(logs);
    await clock.advance(1_000);
    ended.abort();
    expect(await error).toBeUndefined();
    expect(text()).toBe('one\ntwo\nthree\nfour\n');
  });

  it('does not join a cut line with the next one after log rotation', async () => {
    const { clock, ended, error, text } = follow(scripted([`${at(1)} one\n${at(2)} tw`, broken], [`${at(4)} four\n`]));
    await clock.advance(1_000);
    ended.abort();
    await error;
    expect(text()).toBe('one\ntw\nfour\n');
  });

  it('requests the whole log again when the node’s clock was set back', async () => {
    const all = `${at(5)} one\n${at(2)} two\n`;
    const logs = scripted([all, broken], [`${all}${at(3)} three\n`]);
    const { clock, ended, error, text } = follow(logs);
    await clock.advance(1_000);
    ended.abort();
    await error;
    expect(text()).toBe('one\ntwo\nthree\n');
    expect(logs.asked[1]?.sinceTime).toBeUndefined();
  });

  it("treats the kubelet's own message in the log as a broken connection", async () => {
    const logs = scripted(
      [`${at(1)} one\n`, 'failed to create fsnotify watcher: too many open files'],
      [`${at(2)} two\n`],
    );
    const { clock, ended, error, text, log } = follow(logs);
    await clock.advance(1_000);
    ended.abort();
    await error;
    expect(text()).toBe('one\ntwo\n');
    expect(log.messages('debug')).toHaveLength(1);
  });

  it('continues after a stream that ended although the container is running', async () => {
    const logs = scripted([`${at(1)} one\n`], [`${at(2)} two\n`], 'hang');
    const { clock, text } = follow(logs);
    await clock.advance(4_999);
    expect(logs.asked).toHaveLength(1);
    await clock.advance(1);
    expect(text()).toBe('one\ntwo\n');
  });

  it('closes an open stream that is silent for three seconds after the end, and reads the rest', async () => {
    const probe = [`${at(1)} one\n`];
    const logs = scripted([2_000, `${at(1)} one\n`, 2_500, `${at(2)} two\n`, 3_500], probe, [`${at(3)} three\n`]);
    const { clock, ended, error, text } = follow(logs);
    await letWorkRun();
    ended.abort();
    await clock.advance(7_500);
    expect(await error).toBeUndefined();
    expect(text()).toBe('one\ntwo\nthree\n');
    expect(logs.asked.map(({ follow: follows, tailLines }) => [follows, tailLines])).toEqual([
      [true, undefined],
      [undefined, 1],
      [false, undefined],
    ]);
  });

  it('keeps an open stream when the pod is gone, because a busy node still sends the rest', async () => {
    const gone = kubeError('KUBE_NOT_FOUND', 'pods "du-1" not found');
    const late = scripted([`${at(1)} one\n`, 20_000, `${at(2)} two\n`], [gone], [gone]);
    const whole = follow(late);
    await letWorkRun();
    whole.ended.abort();
    await late.clock.advance(20_000);
    expect(await whole.error).toBeUndefined();
    expect(whole.text()).toBe('one\ntwo\n');
    const silent = scripted('hang', [gone], [gone]);
    const torn = follow(silent);
    await letWorkRun();
    torn.ended.abort();
    await silent.clock.advance(33_000);
    expect(await torn.error).toBe(gone);
    expect(silent.clock.pending).toBe(0);
  });

  it('opens another stream when one is silent for long', async () => {
    const logs = scripted('hang', 'hang');
    const { clock } = follow(logs);
    await clock.advance(299_000);
    expect(logs.asked).toHaveLength(1);
    await clock.advance(1_000);
    expect(logs.asked).toHaveLength(2);
  });

  it('ends without an error when the pod is gone after a complete stream, but not after a broken one', async () => {
    const gone = kubeError('KUBE_NOT_FOUND', 'pods "du-1" not found');
    const whole = follow(scripted([`${at(1)} one\n`], [gone]));
    await letWorkRun();
    whole.ended.abort();
    expect(await whole.error).toBeUndefined();
    const torn = follow(scripted([`${at(1)} one\n`, broken], [gone]));
    await torn.clock.advance(1_000);
    expect(await torn.error).toBe(gone);
  });

  it('gives up the rest after four attempts with growing delays', async () => {
    const fails = () => [broken] as const;
    const logs = scripted(fails(), fails(), fails(), fails(), fails());
    const { clock, error } = follow(logs, { ended: AbortSignal.abort() });
    await clock.advance(10_000);
    expect(await error).toBe(broken);
    expect(logs.asked).toHaveLength(4);
  });

  it('ends with the reason of its signal and leaves no timer', async () => {
    const { clock, stop, error } = follow(scripted('hang'));
    await letWorkRun();
    stop.abort(new Error('enough'));
    expect(await error).toMatchObject({ message: 'enough' });
    await letWorkRun();
    expect(clock.pending).toBe(0);
  });

  it.each(Array.from({ length: 60 }, (_, seed) => seed + 1))('reads each byte once (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const draw = (max: number) => Math.floor(random.next() * max);
    let nanos = 0;
    const lines = Array.from({ length: 1 + draw(40) }, (_, n) => {
      nanos += [0, 1, 300_000_000][draw(3)] ?? 0;
      return { second: Math.floor(nanos / 1e9), nanos: nanos % 1e9, text: `${n} ${'ü'.repeat(draw(60))}\n` };
    });
    const stampOf = (line: { second: number; nanos: number }) =>
      `2030-01-01T00:00:${String(line.second).padStart(2, '0')}.${String(line.nanos).padStart(9, '0')}Z`;
    const logs: PodLogs = {
      stream: async function* (_, { follow: follows, sinceTime }) {
        const since = sinceTime === undefined ? 0 : Number(sinceTime.slice(17, 19));
        const wanted = lines.filter(({ second }) => second >= since);
        const bytes = Buffer.from(wanted.map((line) => `${stampOf(line)} ${line.text}`).join(''));
        const breaksAt = follows === true ? draw(bytes.length + 1) : bytes.length;
        for (let from = 0; from < breaksAt; ) {
          const to = Math.min(from + 1 + draw(80), breaksAt);
          yield bytes.subarray(from, to);
          from = to;
        }
        if (follows === true && random.next() < 0.7) throw broken;
      },
    };
    const { clock, ended, error, text } = follow(logs);
    await clock.advance(draw(60_000));
    ended.abort();
    await clock.advance(10_000);
    expect(await error).toBeUndefined();
    expect(text()).toBe(lines.map((line) => line.text).join(''));
  });
});
