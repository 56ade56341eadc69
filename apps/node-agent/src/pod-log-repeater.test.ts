import { aPod, FakeClock, fakeCluster, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podLogRepeater } from './pod-log-repeater.ts';

const begin = (pod: string) => `***************************begin pod logs[${pod}/mover]***************************`;
const end = (pod: string) => `***************************end pod logs[${pod}/mover]***************************`;

function make({ format = 'text' as 'text' | 'json', pods = ['du-1'] } = {}) {
  const clock = new FakeClock('2030-01-01T00:10:00Z');
  const cluster = fakeCluster({
    clock,
    objects: pods.map((name) =>
      aPod({ name, namespace: 'velero', phase: 'Running', spec: { containers: [{ name: 'mover', image: 'i' }] } }),
    ),
  });
  let written = '';
  const sink = { write: (text: string) => (written += text) };
  const repeater = podLogRepeater(cluster.podLogs, {
    sink,
    format,
    clock,
    random: seededRandom(1),
    log: recordingLog(),
  });
  const ended = new AbortController();
  const stop = new AbortController();
  const repeat = (name = 'du-1', startedAt?: string) =>
    repeater.repeat(
      { namespace: 'velero', name },
      'mover',
      { dataUpload: `velero/${name}` },
      {
        signal: stop.signal,
        ended: ended.signal,
        startedAt,
      },
    );
  const write = (text: string, name = 'du-1') => cluster.podLogs.append({ namespace: 'velero', name }, text, 'mover');
  return { clock, cluster, repeat, write, ended, stop, lines: () => written.split('\n').slice(0, -1), sink };
}

describe('repeating a hosting pod\u2019s log', () => {
  it("writes whole lines between Velero's marks, with the movement they belong to", async () => {
    const { repeat, write, ended, lines } = make();
    write('time="2030-01-01T00:00:00Z" level=info msg="the data path has started"\n');
    ended.abort();
    await repeat();
    const [first, line, last, ...more] = lines();
    expect([first, last, more]).toEqual([begin('du-1'), end('du-1'), []]);
    expect(line).toContain('msg="the data path has started"');
    expect(line).toContain('dataUpload=velero/du-1');
    expect(line).toContain('pod=du-1');
  });

  it('shows a line while the container still runs, and the end mark when it has ended', async () => {
    const { cluster, repeat, write, ended, lines } = make();
    const copy = repeat();
    write('one\n');
    await letWorkRun();
    expect(lines()).toEqual([begin('du-1'), expect.stringContaining('msg=one')]);
    write('two\nthr');
    await letWorkRun();
    expect(lines()).toHaveLength(3);
    write('ee\n');
    cluster.setPodPhase({ namespace: 'velero', name: 'du-1' }, 'Succeeded');
    ended.abort();
    await copy;
    expect(lines().map((line) => /msg=(\S+)/.exec(line)?.[1] ?? line)).toEqual([
      begin('du-1'),
      'one',
      'two',
      'three',
      end('du-1'),
    ]);
  });

  it('has the whole log although the pod is deleted as soon as it has ended', async () => {
    const { cluster, repeat, write, ended, lines } = make();
    const copy = repeat();
    await letWorkRun();
    write('one\ntwo\n');
    cluster.remove(
      { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
      {
        namespace: 'velero',
        name: 'du-1',
      },
    );
    ended.abort();
    await copy;
    expect(lines()).toEqual([begin('du-1'), expect.stringMatching('one'), expect.stringMatching('two'), end('du-1')]);
  });

  it('notes that a log may be there twice when the container is older than this process', async () => {
    const older = make();
    older.ended.abort();
    await older.repeat('du-1', '2030-01-01T00:09:59Z');
    expect(older.lines()[1]).toContain('its log is repeated from its beginning');
    const younger = make();
    younger.ended.abort();
    await younger.repeat('du-1', '2030-01-01T00:10:00Z');
    expect(younger.lines()).toEqual([begin('du-1'), end('du-1')]);
  });

  it('writes the end mark when it is stopped', async () => {
    const { repeat, write, stop, lines } = make();
    write('one\n');
    const copy = repeat();
    await letWorkRun();
    stop.abort(new Error('this process stops'));
    await expect(copy).rejects.toThrow('this process stops');
    expect(lines().at(-1)).toBe(end('du-1'));
  });

  it.each([1, 2, 3, 4])('keeps the lines of 32 parallel movers complete and in order (seed %i)', async (seed) => {
    const pods = Array.from({ length: 32 }, (_, n) => `du-${n}`);
    const { cluster, clock, repeat, write, ended, lines, sink } = make({ format: 'json', pods });
    const random = seededRandom(seed);
    const draw = (max: number) => Math.floor(random.next() * max);
    const copies = pods.map((name) => repeat(name));
    const left = new Map(
      pods.map((name) => {
        const text = Array.from({ length: 20 + draw(20) }, (_, n) => `{"msg":"ä😀 ${n} ${'.'.repeat(draw(120))}"}\n`);
        return [name, { whole: text.join(''), rest: text.join('') }];
      }),
    );
    while ([...left.values()].some(({ rest }) => rest !== '')) {
      const [name = '', log] =
        [...left].filter(([, { rest }]) => rest !== '')[draw(3)] ?? [...left].find(([, l]) => l.rest !== '') ?? [];
      if (log === undefined) break;
      // A character of two code units is not split here: containers write bytes, and the fake splits those.
      const cut = [...log.rest].slice(0, 1 + draw(200)).join('');
      write(cut, name);
      log.rest = log.rest.slice(cut.length);
      if (random.next() < 0.1) sink.write('{"msg":"own"}\n');
      if (random.next() < 0.3) await letWorkRun();
    }
    for (const name of pods) cluster.setPodPhase({ namespace: 'velero', name }, 'Succeeded');
    ended.abort();
    await clock.advance(1_000);
    await Promise.all(copies);
    const parsed = lines().map((line) => JSON.parse(line) as { msg: string; pod?: string; dataUpload?: string });
    for (const name of pods) {
      const its = parsed.filter(({ pod }) => pod === name);
      expect(its.map(({ msg }) => `{"msg":"${msg}"}\n`).join('')).toBe(left.get(name)?.whole);
      expect(new Set(its.map(({ dataUpload }) => dataUpload))).toEqual(new Set([`velero/${name}`]));
    }
    expect(parsed.filter(({ pod, msg }) => pod === undefined && msg !== 'own')).toEqual([]);
  });
});
