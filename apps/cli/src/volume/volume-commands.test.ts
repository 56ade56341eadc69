import { stripVTControlCharacters } from 'node:util';
import { type DataUpload, dataDownloadType, dataUploadType, eventType, type KubeObject } from '@lateen/api-types';
import { aDataDownload, aDataUpload, aPod, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';

const MiB = 1024 ** 2;
const startedAt = '2030-01-01T00:00:00Z';

function running(name: string, status: DataUpload['status'] = {}, annotations: Record<string, string> = {}) {
  return aDataUpload({
    name,
    annotations,
    labels: { tier: name },
    status: {
      phase: 'InProgress',
      node: 'node-1',
      startTimestamp: startedAt,
      progress: { bytesDone: 256 * MiB, totalBytes: 1024 * MiB },
      ...status,
    },
  });
}

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  answer?: string;
  env?: Record<string, string>;
}

function setUp(objects: KubeObject[], terminal: Terminal = {}) {
  const clock = new FakeClock(startedAt);
  const cluster = fakeCluster({ clock, objects });
  const written: string[] = [];
  const remarks: string[] = [];
  const asked: string[] = [];
  const stop = new AbortController();
  const { isTTY, columns, rows, answer, env = {} } = terminal;
  const stdout = {
    isTTY,
    columns,
    rows,
    write: (text: string) => written.push(text),
  };
  const context = {
    clock,
    random: seededRandom(),
    stdout,
    stderr: { write: (text: string) => remarks.push(text) },
    signal: stop.signal,
    ...(answer === undefined
      ? {}
      : {
          ask: (question: string) => {
            asked.push(question);
            return Promise.resolve(answer);
          },
        }),
    connect: () => Promise.resolve(cluster),
  };
  const run = (...words: string[]) => buildProgram(context, env).parseAsync(['volume', ...words], { from: 'user' });
  const output = () => written.join('');
  const resize = (to: { columns: number; rows: number }) => {
    Object.assign(stdout, to);
  };
  return { clock, cluster, run, output, written, remarks, asked, stop, resize };
}

describe('lateen volume list', () => {
  it('shows bar, rate and time left of running movements', async () => {
    const { run, output, clock } = setUp([running('data-1'), aDataDownload({ name: 'data-2' })]);
    await clock.advance(4_000);
    await run('list');
    const [head, ...rows] = output().trimEnd().split('\n');
    expect(head).toBe(
      'KIND          NAME    VOLUME    PHASE       PROGRESS           DONE              RATE      LEFT  NODE    AGE',
    );
    expect(rows).toHaveLength(2);
    expect(rows.find((row) => row.includes('data-1'))).toMatch(
      /InProgress {2}███░░░░░░░░░ 25 % {2}256 MiB of 1 GiB {2}64 MiB\/s {2}12s {3}node-1/,
    );
  });

  it('has a column for attempts only when there was more than one, and the cause only with -o wide', async () => {
    const message = `data path backup failed: ${'the repository cannot be opened, '.repeat(5)}`;
    const failed = running('bad', { phase: 'Failed', message }, { 'lateen.dev/attempts': '3' });
    const plain = setUp([running('good')]);
    await plain.run('list');
    expect(plain.output()).not.toMatch(/ATTEMPT|CAUSE|LOCATION/);
    const wide = setUp([failed]);
    await wide.run('list', '-o', 'wide');
    expect(wide.output()).toMatch(/PHASE {3}ATTEMPT/);
    const row = wide.output().split('\n')[1] ?? '';
    expect(row).toMatch(/Failed {2}3 /);
    expect(row).toMatch(/data path backup failed: the repository cannot be opened.*…$/);
  });

  it.each<[Terminal, boolean]>([
    [{ isTTY: true }, true],
    [{ isTTY: true, env: { NO_COLOR: '' } }, true],
    [{ isTTY: true, env: { NO_COLOR: '1' } }, false],
    [{ isTTY: true, env: { TERM: 'dumb' } }, false],
    [{}, false],
  ])('colors phases with %j: %s', async (terminal, colored) => {
    const { run, output } = setUp([running('bad', { phase: 'Failed' })], terminal);
    await run('list');
    expect(output().includes('\u001b[31mFailed\u001b[39m')).toBe(colored);
    expect(output().includes('\u001b')).toBe(colored);
  });

  it('selects by labels, volume and what has not ended', async () => {
    const objects = [running('a'), running('b', { phase: 'Completed' })];
    const namesWith = async (...flags: string[]) => {
      const { run, output } = setUp(objects);
      await run('list', '-o', 'name', ...flags);
      return output().split('\n').filter(Boolean);
    };
    expect(await namesWith()).toEqual(['dataupload/a', 'dataupload/b']);
    expect(await namesWith('-l', 'tier=b')).toEqual(['dataupload/b']);
    expect(await namesWith('--running')).toEqual(['dataupload/a']);
    expect(await namesWith('--volume', 'other/data')).toEqual([]);
  });

  it('sorts as told, in the table and in the objects', async () => {
    const small = running('small', { progress: { bytesDone: 9, totalBytes: 10 } });
    for (const [key, names] of [
      ['size', ['large', 'small']],
      ['progress', ['small', 'large']],
    ] as const) {
      const { run, output } = setUp([small, running('large')]);
      await run('list', '--sort-by', key, '-o', 'json');
      const { items } = JSON.parse(output()) as { items: KubeObject[] };
      expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    }
    const { run } = setUp([]);
    await expect(run('list', '--sort-by', 'colour')).rejects.toMatchObject({ code: 'BAD_FLAG' });
    await expect(run('list', '-o', 'xml')).rejects.toThrow('--output "xml" is not a format');
  });

  it('prints YAML, and a text when there is nothing', async () => {
    const yaml = setUp([running('a')]);
    await yaml.run('list', '-o', 'yaml');
    expect(load(yaml.output())).toMatchObject({ kind: 'List', items: [{ metadata: { name: 'a' } }] });
    const empty = setUp([]);
    await empty.run('list');
    expect(empty.output()).toBe('No volume is or was moved.\n');
  });
});

describe('lateen volume list --watch', () => {
  const change = (cluster: ReturnType<typeof fakeCluster>, bytesDone: number) =>
    cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'a' }, (object) => {
      object.status = { ...object.status, progress: { bytesDone, totalBytes: 1024 * MiB } };
    });

  it('prints a line for each change where there is no terminal', async () => {
    const { run, output, cluster, clock, stop } = setUp([running('a')]);
    const ended = run('list', '--watch');
    await cluster.settle();
    await clock.advance(4_000);
    change(cluster, 512 * MiB);
    await cluster.settle();
    await clock.advance(10_000);
    stop.abort(new Error('Ctrl-C'));
    await ended;
    const lines = output().trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^DataUpload a {2}\S+\/\S+ {2}InProgress .* 50 % {2}512 MiB of 1 GiB {2}128 MiB\/s/);
    expect(output()).not.toContain('\u001b');
  });

  it('prints each change as JSON', async () => {
    const { run, written, cluster, stop } = setUp([running('a')]);
    const ended = run('list', '--watch', '-o', 'json');
    await cluster.settle();
    change(cluster, 512 * MiB);
    await cluster.settle();
    stop.abort(new Error('Ctrl-C'));
    await ended;
    const done = written.map((text) => (JSON.parse(text) as DataUpload).status?.progress?.bytesDone);
    expect(done).toEqual([256 * MiB, 512 * MiB]);
  });

  it('redraws on a terminal, follows changes and size, and restores the terminal', async () => {
    const { run, written, output, cluster, clock, stop, resize } = setUp([running('a'), running('b')], {
      isTTY: true,
      columns: 200,
      rows: 10,
    });
    const ended = run('list', '-w');
    await cluster.settle();
    await clock.advance(2_000);
    change(cluster, 512 * MiB);
    await cluster.settle();
    await clock.advance(1_000);
    const pictures = written.join('');
    expect(stripVTControlCharacters(pictures)).toMatch(/DataUpload +a .* 50 %/);
    // No update clears the screen first, which would flicker.
    expect(pictures).not.toContain('\u001b[2J');
    resize({ columns: 20, rows: 3 });
    await clock.advance(1_000);
    const small = stripVTControlCharacters(written.join('').slice(pictures.length)).trimEnd().split('\n');
    expect(small.slice(-2).map((line) => line.length)).toEqual([19, 12]);
    expect(small.at(-1)).toBe('… and 2 more');
    stop.abort(new Error('Ctrl-C'));
    await ended;
    expect(stripVTControlCharacters(output())).toMatch(/… and 2 more\nKIND .*\nDataUpload +a .*\nDataUpload +b .*\n$/);
  });

  it('reports errors immediately, before it watches', async () => {
    const { run, cluster } = setUp([]);
    cluster.failOnce('list', dataDownloadType, 'KUBE_FORBIDDEN');
    await expect(run('list', '-w')).rejects.toMatchObject({ code: 'KUBE_FORBIDDEN' });
  });
});

describe('lateen volume upload', () => {
  it.each([
    ['splitter=FIXED-3M', 'SPLITTER_UNKNOWN'],
    ['UploaderType=rsync', 'UPLOADER_TYPE_UNKNOWN'],
  ])('rejects %s before it asks or creates anything', async (config, code) => {
    const { run, cluster } = setUp([]);
    await expect(run('upload', 'shop/data', '--data-mover-config', config)).rejects.toMatchObject({ code });
    expect(cluster.calls).toEqual([]);
  });
});

describe('lateen volume cancel', () => {
  const cancelOf = ({ cluster }: ReturnType<typeof setUp>, name: string) =>
    cluster.find(dataUploadType, { namespace: 'velero', name })?.spec.cancel;

  it('requests the cancellation of the named movements after the user has agreed', async () => {
    const world = setUp([running('a'), running('b')], { answer: 'y' });
    await world.run('cancel', 'a');
    expect([cancelOf(world, 'a'), cancelOf(world, 'b')]).toEqual([true, undefined]);
    expect(world.asked).toEqual(['Cancel it? (y/N) ']);
    expect(world.output()).toBe('dataupload/a is being canceled\n');
  });

  it.each(['', 'n', 'yo'])('changes nothing on the answer %j', async (answer) => {
    const world = setUp([running('a')], { answer });
    await expect(world.run('cancel', 'a')).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    expect(cancelOf(world, 'a')).toBeUndefined();
  });

  it('needs --confirm where there is no terminal', async () => {
    const world = setUp([running('a')]);
    await expect(world.run('cancel', '--all')).rejects.toMatchObject({ code: 'BAD_FLAG' });
    expect(cancelOf(world, 'a')).toBeUndefined();
    await world.run('cancel', '--all', '--confirm');
    expect(cancelOf(world, 'a')).toBe(true);
  });

  it('cancels all running ones, or all with a label, and ignores ended ones', async () => {
    const world = setUp([running('a'), running('b'), running('c', { phase: 'Completed' })]);
    await world.run('cancel', '-l', 'tier=b', '--confirm');
    expect([cancelOf(world, 'a'), cancelOf(world, 'b')]).toEqual([undefined, true]);
    await world.run('cancel', '--all', '--confirm');
    expect([cancelOf(world, 'a'), cancelOf(world, 'c')]).toEqual([true, undefined]);
  });

  it('reports for ended ones that they have ended, and when there is nothing', async () => {
    const world = setUp([running('c', { phase: 'Completed' })]);
    await world.run('cancel', 'c', '--confirm');
    expect(world.output()).toBe('dataupload/c has ended already\n');
    await world.run('cancel', '--all', '--confirm');
    expect(world.remarks.join('')).toContain('Nothing runs that could be canceled.');
    expect(cancelOf(world, 'c')).toBeUndefined();
  });

  it('waits for the end with --wait', async () => {
    const world = setUp([running('a')]);
    const ended = world.run('cancel', 'a', '--confirm', '--wait');
    await world.cluster.settle();
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'a' }, (object) => {
      object.status = { ...object.status, phase: 'Canceled' };
    });
    await world.cluster.settle();
    await ended;
    expect(world.output()).toBe('dataupload/a is being canceled\ndataupload/a Canceled\n');
  });

  it('rejects names that do not exist, ambiguous names, and no names', async () => {
    const world = setUp([running('a'), aDataDownload({ name: 'a' })], { answer: 'y' });
    await expect(world.run('cancel', 'x')).rejects.toMatchObject({ code: 'NO_SUCH_MOVEMENT' });
    await expect(world.run('cancel', 'a')).rejects.toThrow('"a" is an upload and a download');
    await expect(world.run('cancel', 'pod/a')).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
    await expect(world.run('cancel')).rejects.toMatchObject({ code: 'BAD_FLAG' });
    await expect(world.run('cancel', 'a', '--all')).rejects.toMatchObject({ code: 'BAD_FLAG' });
    expect(cancelOf(world, 'a')).toBeUndefined();
    await world.run('cancel', 'upload/a');
    expect(cancelOf(world, 'a')).toBe(true);
  });
});

describe('lateen volume describe', () => {
  it('shows times, attempts, pod, message and Events of one movement, oldest Event first', async () => {
    const upload = running(
      'a',
      { acceptedTimestamp: '2029-12-31T23:59:50Z', message: 'waiting', snapshotID: 'abc' },
      { 'lateen.dev/attempts': '2' },
    );
    const world = setUp([upload]);
    const uid = world.cluster.find(dataUploadType, { namespace: 'velero', name: 'a' })?.metadata.uid ?? '';
    const event = (name: string, reason: string, lastTimestamp: string, of = uid) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'velero', name },
      involvedObject: { kind: 'DataUpload', namespace: 'velero', name: 'a', uid: of },
      reason,
      message: `about\n${name}`,
      type: 'Normal',
      count: 3,
      lastTimestamp,
    });
    world.cluster.put(event('late', 'Data-Path-Progress', '2029-12-31T23:59:59Z'));
    world.cluster.put(event('early', 'Data-Path-Started', '2029-12-31T23:59:55Z'));
    world.cluster.put(event('other', 'Unrelated', '2029-12-31T23:59:55Z', 'another'));
    world.cluster.put({
      ...aPod({ name: 'a' }),
      metadata: {
        namespace: 'velero',
        name: 'a',
        ownerReferences: [{ apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', name: 'a', uid }],
      },
    });
    await world.clock.advance(4_000);
    await world.run('describe', 'a');
    const lines = world.output().split('\n');
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^Phase: +InProgress$/)]));
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^Message: +waiting$/)]));
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^Attempt: +2$/)]));
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^Pod: +a /)]));
    expect(world.output()).toMatch(/started +2030-01-01T00:00:00Z +10s/);
    expect(world.output()).toMatch(/Rate: +64 MiB\/s/);
    expect(world.output()).not.toContain('Unrelated');
    const events = lines.slice(lines.indexOf('Events:') + 2).filter(Boolean);
    expect(events.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['9s ago', 'Normal', 'Data-Path-Started', '3', 'about early'],
      ['5s ago', 'Normal', 'Data-Path-Progress', '3', 'about late'],
    ]);
  });

  it('shows the throughput of a restore and what to do about it, also as JSON', async () => {
    const throughput = {
      filesDone: 120_000,
      totalFiles: 300_000,
      filesPerSecond: 8_123,
      bytesPerSecond: 2 * MiB,
      limitedBy: 'store-latency',
      storeLatencyMilliseconds: 28,
      storeRequestsInFlight: 64,
    };
    const progress = { bytesDone: 4 * MiB, totalBytes: 10 * MiB };
    const status = { phase: 'InProgress', startTimestamp: startedAt, progress, throughput } as const;
    const world = setUp([aDataDownload({ name: 'd', status })]);
    await world.clock.advance(100_000);
    await world.run('describe', 'download/d');
    expect(world.output()).toMatch(/^ {2}Files: +120,000 of 300,000$/m);
    expect(world.output()).toMatch(/^ {2}Rate: +2 MiB\/s, 8,123 files\/s$/m);
    expect(world.output()).toMatch(/^ {2}Time left: +3s$/m);
    expect(world.output()).toMatch(/^ {2}Limited by: +the store's latency: 28ms per request, 64 in flight$/m);
    expect(world.output()).toMatch(/^ {2}What helps: +A nearer store helps; /m);
    world.written.length = 0;
    await world.run('describe', 'download/d', '-o', 'json');
    expect(JSON.parse(world.output())).toMatchObject({
      movement: { kind: 'DataDownload', metadata: { name: 'd' }, status },
      progress: { ...progress, ...throughput, leftMilliseconds: 3_000 },
      limit: { text: "the store's latency: 28ms per request, 64 in flight" },
      events: [],
    });
    world.written.length = 0;
    await world.run('describe', '-o', 'yaml');
    expect(load(world.output())).toMatchObject([{ movement: { metadata: { name: 'd' } } }]);
    world.written.length = 0;
    await world.run('list', '-o', 'wide');
    expect(world.output()).toMatch(/ 8,123 +store-latency /);
    await expect(world.run('describe', '-o', 'xml')).rejects.toMatchObject({ code: 'BAD_FLAG' });
  });

  it('shows no other pod with the same name, and no Events when there are none', async () => {
    const world = setUp([aDataDownload({ name: 'd' })]);
    world.cluster.put(aPod({ name: 'd' }));
    await world.run('describe', 'download/d');
    expect(world.output()).not.toMatch(/^Pod:/m);
    expect(world.output()).toContain('Events: none');
    expect(world.cluster.find(eventType, { namespace: 'velero', name: 'd' })).toBeUndefined();
  });
});
