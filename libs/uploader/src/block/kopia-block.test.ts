import { randomBytes } from 'node:crypto';
import type { DataPathProgress } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { EngineExit, KopiaSession, SessionRun } from '@lateen/repository';
import { FakeClock, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { kopiaUploader } from '../kopia-uploader.ts';
import type { BlockSplice } from './block-splice.ts';
import { MemoryDevice } from './memory-device.ts';
import { chunkBytes } from './read-device.ts';

const source = 'default@default:snapshot-data-upload-download/kopia/ns/pvc';
const id = '0123456789abcdef0123456789abcdef';
const file = { name: '/abc', type: 'f', mode: '0777', obj: 'Ix4e5c2a1a1ef793c07e97cd6a9ac8ad98' };
const good: EngineExit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
const content = Buffer.concat([randomBytes(chunkBytes), Buffer.alloc(chunkBytes), randomBytes(5 * 512)]);
const manifest = (size: number, more: object = {}) => JSON.stringify({ id, stats: { totalSize: size }, ...more });

/** What `kopia policy show --json` prints of a source. */
const policy = (splitter: string | undefined, manual: boolean) =>
  JSON.stringify({
    scheduling: manual ? { manual } : {},
    splitter: splitter === undefined ? {} : { algorithm: splitter },
  });

type Act = (run: SessionRun) => Promise<Partial<EngineExit>>;

/** A source whose policy needs no write. */
const cutAlready: Record<string, Act> = { 'policy show': async () => ({ stdout: policy('FIXED-4M', true) }) };

/** kopia played by functions: first two words of the arguments → what it does with its streams. */
function rig(
  device: MemoryDevice,
  kopia: Record<string, Act>,
  more: { blockSplitter?: string; blockSplice?: BlockSplice } = {},
) {
  const runs: string[][] = [];
  const log = recordingLog();
  const session: KopiaSession = {
    storage: { type: 's3', config: {} },
    where: 'bucket "b"',
    redact: (text) => text,
    failure: (exit, doing, known) => {
      const match = known?.find(({ pattern }) => pattern.test(exit.stderr));
      return new AppError(match?.code ?? 'ENGINE_FAILED', `${doing}: ${exit.stderr}`);
    },
    close: async () => {},
    run: async (args, options = {}) => {
      runs.push([...args]);
      const act = { ...cutAlready, ...kopia }[args.slice(0, 2).join(' ')];
      if (act === undefined) throw new Error(`kopia is not expected to ${args.join(' ')}`);
      return { ...good, ...(await act(options)), aborted: options.signal?.aborted === true };
    },
  };
  const uploader = kopiaUploader({
    session,
    clock: new FakeClock(),
    random: { next: () => 0, uuid: () => 'key', suffix: () => 'x' },
    programs: { run: () => Promise.reject(new Error('there are no files in a device')) },
    block: {
      devices: device.devices(),
      tools: (program) => ({ run: () => Promise.reject(new Error(`there is no ${program}`)) }),
      scratchDirectory: '/no/such/directory',
    },
    log,
    parallelFiles: 2,
    ...more,
    discardMs: 1000,
    flush: () => Promise.reject(new Error('there is no file system on a device')),
  });
  const progress: DataPathProgress[] = [];
  const request = (config: Record<string, string> = {}, signal = new AbortController().signal) => ({
    volumePath: '/abc',
    volumeMode: 'Block' as const,
    source: { path: 'snapshot-data-upload-download/kopia/ns/pvc', tags: { 'snapshot-uploader': 'kopia' } },
    config,
    snapshotID: id,
    onProgress: (each: DataPathProgress) => progress.push(each),
    signal,
  });
  return { uploader, runs, log, progress, request };
}

async function readAll({ stdin }: SessionRun, bytesMax = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes >= bytesMax) break;
  }
  return Buffer.concat(chunks);
}

describe('upload of a block volume', () => {
  it('is one snapshot of one file: the whole device, as Velero makes it', async () => {
    const device = new MemoryDevice(Buffer.from(content));
    let heard: Buffer = Buffer.alloc(0);
    const { uploader, runs, progress, request } = rig(device, {
      'snapshot create': async (run) => {
        heard = await readAll(run);
        return { stdout: manifest(content.length) };
      },
    });
    const result = await uploader.upload(request());
    expect(result).toEqual({ snapshotID: id, totalBytes: content.length, incrementalBytes: content.length });
    expect(heard.equals(content)).toBe(true);
    expect(runs).toEqual([
      ['policy', 'show', `${source}`, '--json'],
      [
        'snapshot',
        'create',
        '/abc',
        '--stdin-file=/abc',
        `--override-source=${source}`,
        '--description=Kopia Uploader',
        '--pin=velero-pin',
        '--tags=snapshot-uploader:kopia',
        '--fail-fast',
        '--no-send-snapshot-report',
        '--json',
        '--json-verbose',
        '--no-progress',
      ],
    ]);
    const totalBytes = content.length;
    expect(progress[0]).toEqual({ totalBytes, doneBytes: 0 });
    expect(progress.at(-1)).toEqual({ totalBytes, doneBytes: totalBytes });
    expect(progress.map(({ doneBytes }) => doneBytes)).toContain(chunkBytes);
    expect(device.closed).toBe(true);
  });

  it.each([
    ['', {}, [{ start: chunkBytes, end: chunkBytes + 512 }]],
    [', unless all is to be read', { SkipUnusedBlocks: 'false' }, [{ start: 0, end: 3 * chunkBytes }]],
  ])('reads what the storage has allocated, and passes zeroes for the rest%s', async (_, config, read) => {
    const device = new MemoryDevice(Buffer.alloc(3 * chunkBytes, 7));
    let heard: Buffer = Buffer.alloc(0);
    const allocated = [{ offset: chunkBytes, length: 512 }];
    const changesOf = async () => ({ kind: 'full' as const, reason: 'first backup of the volume', allocated });
    const { uploader, request } = rig(
      device,
      {
        'snapshot create': async (run) => {
          heard = await readAll(run);
          return { stdout: manifest(heard.length) };
        },
      },
      { blockSplice: { changesOf, splice: () => Promise.reject(new Error('there is no base')) } },
    );
    const { readReport } = await uploader.upload(request(config));
    const expected = Buffer.alloc(3 * chunkBytes);
    for (const { start, end } of read) expected.fill(7, start, end);
    expect(heard.equals(expected)).toBe(true);
    const readBytes = read.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(readReport).toEqual({ readBytes, fullReadReason: 'first backup of the volume' });
  });

  it.each([
    ['is new', {}, undefined, policy(undefined, false), 'FIXED-4M'],
    ['has snapshots', {}, undefined, policy(undefined, true), undefined],
    ['has snapshots that were cut so', {}, undefined, policy('FIXED-4M', true), undefined],
    [
      'has snapshots, where a splitter is named for it',
      { splitter: 'FIXED-1M' },
      'FIXED-8M',
      policy(undefined, true),
      'FIXED-1M',
    ],
    ['has snapshots, where the repository names one', {}, 'FIXED-8M', policy(undefined, true), 'FIXED-8M'],
    ['is cut as the repository names already', {}, 'FIXED-8M', policy('FIXED-8M', true), undefined],
  ])('of a source that %s gets its splitter before kopia reads', async (_, config, blockSplitter, stdout, gets) => {
    const { uploader, runs, request } = rig(
      new MemoryDevice(Buffer.from(content)),
      {
        'policy show': async () => ({ stdout }),
        'policy set': async () => ({}),
        'snapshot create': async (run) => {
          await readAll(run);
          return { stdout: manifest(content.length) };
        },
      },
      blockSplitter === undefined ? {} : { blockSplitter },
    );
    await uploader.upload(request(config));
    const set = gets === undefined ? [] : [['policy', 'set', source, `--splitter=${gets}`]];
    expect(runs.slice(0, -1)).toEqual([['policy', 'show', source, '--json'], ...set]);
    expect(runs.at(-1)?.slice(0, 2)).toEqual(['snapshot', 'create']);
  });

  it.each([
    [
      'cannot be read',
      { 'policy show': async () => ({ exitCode: 1, stderr: 'no route' }) },
      'ENGINE_FAILED',
      'reading',
    ],
    ['makes no sense', { 'policy show': async () => ({ stdout: '[]x' }) }, 'ENGINE_BAD_ANSWER', 'its JSON'],
    [
      'cannot be written',
      {
        'policy show': async () => ({ stdout: policy(undefined, false) }),
        'policy set': async () => ({ exitCode: 1, stderr: 'read-only' }),
      },
      'ENGINE_FAILED',
      'writing',
    ],
  ])('of a source whose policy %s stores nothing', async (_, kopia: Record<string, Act>, code, says) => {
    const device = new MemoryDevice(Buffer.from(content));
    const { uploader, runs, request } = rig(device, kopia);
    await expect(uploader.upload(request())).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
    expect(runs.map(([command]) => command)).not.toContain('snapshot');
    expect(device.reads).toEqual([]);
  });

  it('with an unknown splitter is rejected before anything runs', async () => {
    const device = new MemoryDevice(Buffer.from(content));
    const { uploader, runs, request } = rig(device, {});
    await expect(uploader.upload(request({ splitter: 'FOO' }))).rejects.toMatchObject({ code: 'SPLITTER_UNKNOWN' });
    expect(runs).toEqual([]);
  });

  it('fails where the device cannot be read, naming it, and deletes what kopia saved', async () => {
    const device = new MemoryDevice(Buffer.from(content));
    device.brokenAt = 2 * chunkBytes + 7;
    const { uploader, runs, request } = rig(device, {
      'snapshot create': async (run) => {
        await readAll(run).catch(() => {});
        expect(run.signal?.aborted).toBe(true);
        return { stdout: manifest(2 * chunkBytes, { incomplete: 'canceled' }) };
      },
      'snapshot delete': async () => ({}),
    });
    await expect(uploader.upload(request({ SkipUnusedBlocks: 'false' }))).rejects.toMatchObject({
      code: 'BLOCK_READ_FAILED',
      message: expect.stringContaining(`block device /device failed at offset ${device.brokenAt}`),
    });
    expect(runs.at(-1)).toEqual(['snapshot', 'delete', id, '--delete']);
    expect(device.closed).toBe(true);
  });

  it.each([
    ['ended early', manifest(content.length, { incomplete: 'canceled' }), 'UPLOADER_INCOMPLETE'],
    ['has less than the device', manifest(chunkBytes), 'UPLOADER_INCOMPLETE'],
    ['is not told', '', 'UPLOADER_BAD_ANSWER'],
  ])('does not accept a snapshot as complete that %s', async (_, stdout, code) => {
    const { uploader, request } = rig(new MemoryDevice(Buffer.from(content)), {
      'snapshot create': async (run) => {
        await readAll(run);
        return { stdout };
      },
      'snapshot delete': async () => ({}),
    });
    await expect(uploader.upload(request())).rejects.toMatchObject({ code });
  });

  it('does not trust an engine that ended before it had read the whole device', async () => {
    const { uploader, request } = rig(new MemoryDevice(Buffer.from(content)), {
      'snapshot create': async (run) => {
        await readAll(run, 10);
        return { stdout: manifest(content.length) };
      },
      'snapshot delete': async () => ({}),
    });
    await expect(uploader.upload(request())).rejects.toThrow(/ended after \d+ of \d+ bytes/);
  });

  it('ends on a cancel with its reason, without a snapshot', async () => {
    const abort = new AbortController();
    const { uploader, runs, request } = rig(new MemoryDevice(Buffer.from(content)), {
      'snapshot create': async (run) => {
        await readAll(run, 10);
        abort.abort(new AppError('DATA_PATH_CANCELED', 'data path is canceled'));
        return { exitCode: 1, stdout: manifest(chunkBytes, { incomplete: 'canceled' }) };
      },
      'snapshot delete': async () => ({}),
    });
    await expect(uploader.upload(request({}, abort.signal))).rejects.toMatchObject({ code: 'DATA_PATH_CANCELED' });
    expect(runs.at(-1)).toEqual(['snapshot', 'delete', id, '--delete']);
  });
});

describe('download of a block volume', () => {
  const root = 'kb0c9c9d7d2302e749823f7104da1e73f';
  const shown = `// id: ${id}\n${manifest(content.length, { id: '', rootEntry: { obj: root } })}`;
  const directory = (...entries: object[]) => JSON.stringify({ stream: 'kopia:directory', entries });
  const kopiaWith = (data: Buffer, listing = directory({ ...file, size: data.length })): Record<string, Act> => ({
    'manifest show': async () => ({ stdout: shown }),
    [`show ${root}`]: async () => ({ stdout: listing }),
    [`show ${file.obj}`]: async ({ onStdout }) => {
      for (let at = 0; at < data.length; at += 65_536) await onStdout?.(data.subarray(at, at + 65_536));
      return {};
    },
  });

  it.each(['true', 'false'])(
    'writes the only file, whatever its name, to the device (SkipZeroBlocks %s)',
    async (skip) => {
      const device = new MemoryDevice(Buffer.alloc(content.length + chunkBytes, 1));
      const { uploader, progress, request } = rig(device, kopiaWith(content));
      expect(await uploader.download(request({ SkipZeroBlocks: skip }))).toMatchObject({ totalBytes: content.length });
      expect(device.content.subarray(0, content.length).equals(content)).toBe(true);
      expect(device.content.subarray(content.length).every((byte) => byte === 1)).toBe(true);
      expect(device.flushed && device.closed).toBe(true);
      const totalBytes = content.length;
      expect(progress.at(-1)).toEqual({ totalBytes, doneBytes: totalBytes });
    },
  );

  it('writes nothing to a device that is too small', async () => {
    const device = new MemoryDevice(Buffer.alloc(content.length - 512, 1));
    const { uploader, request } = rig(device, kopiaWith(content));
    await expect(uploader.download(request())).rejects.toMatchObject({
      code: 'UPLOADER_VOLUME_FULL',
      message: `block device /device has ${device.sizeBytes} bytes, the snapshot ${content.length}`,
    });
    expect(device.content.every((byte) => byte === 1)).toBe(true);
    expect(device.closed).toBe(true);
  });

  it.each([
    ['of a volume with files', directory({ ...file, type: 'd' })],
    ['of two files', directory(file, { ...file, name: 'b' })],
    ['of nothing', directory()],
    ['that is no directory', 'hello'],
    ['whose object is a path', directory({ ...file, obj: '/etc/passwd' })],
  ])('writes nothing for a snapshot %s', async (_, listing) => {
    const device = new MemoryDevice(Buffer.alloc(content.length, 1));
    const { uploader, request } = rig(device, kopiaWith(content, listing));
    await expect(uploader.download(request())).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID' });
    expect(device.content.every((byte) => byte === 1)).toBe(true);
  });

  it('fails when data is missing or truncated, and when it cannot be written', async () => {
    const missing: Act = async () => ({ exitCode: 1, stderr: 'content abc not found: object not found' });
    const cases: [Record<string, Act>, string][] = [
      [{ ...kopiaWith(content), [`show ${file.obj}`]: missing }, 'UPLOADER_DATA_MISSING'],
      [kopiaWith(content.subarray(0, 100_000), directory({ ...file, size: content.length })), 'BLOCK_DATA_CUT'],
      [kopiaWith(content), 'BLOCK_WRITE_FAILED'],
    ];
    for (const [kopia, code] of cases) {
      const device = new MemoryDevice(Buffer.alloc(content.length, 1));
      if (code === 'BLOCK_WRITE_FAILED') device.brokenAt = 5;
      const { uploader, request } = rig(device, kopia);
      await expect(uploader.download(request({ SkipZeroBlocks: 'false' }))).rejects.toMatchObject({ code });
      expect(device.closed).toBe(true);
    }
  });

  it('ends on a cancel with its reason', async () => {
    const abort = new AbortController();
    const { uploader, request } = rig(new MemoryDevice(Buffer.alloc(content.length)), {
      ...kopiaWith(content),
      [`show ${file.obj}`]: async () => {
        abort.abort(new AppError('DATA_PATH_CANCELED', 'data path is canceled'));
        return { exitCode: 1 };
      },
    });
    await expect(uploader.download(request({}, abort.signal))).rejects.toMatchObject({ code: 'DATA_PATH_CANCELED' });
  });
});
