import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataPathProgress } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { type EngineExit, engineFailure, type ResticSession } from '@lateen/repository';
import { FakeClock, letWorkRun, recordingLog } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryDevice } from '../block/memory-device.ts';
import { resticUploader } from './restic-uploader.ts';
import { lockedLimits } from './run-restic.ts';
import { snapshotTags } from './snapshot-tags.ts';

const id = 'abcdef0123456789'.repeat(4);
const good: EngineExit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
const source = { path: 's/restic/ns/pvc', tags: { 'snapshot-requester': 'r', 'snapshot-uploader': 'restic' } };
const listed = (...tags: string[]) => JSON.stringify([{ id, time: '2026-01-02T03:04:05Z', tags }]);
const ours = snapshotTags(source, 'Filesystem');
const summary = (more: object = {}) =>
  `${JSON.stringify({ message_type: 'summary', total_bytes_processed: 1000, data_added: 300, snapshot_id: 'abcdef01', ...more })}\n`;

type Answer = Partial<EngineExit> & { says?: string; complains?: string; waits?: true };

let volumePath: string;
beforeAll(async () => {
  volumePath = await mkdtemp(join(tmpdir(), 'lateen-volume-'));
});
afterAll(() => rm(volumePath, { recursive: true }));

/** Reads what restic would read; returns what there is before a source fails. */
async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of source) chunks.push(Buffer.from(chunk));
  } catch {
    // The signal ends the run.
  }
  return Buffer.concat(chunks);
}

/** A session whose runs answer from a script by the first words of the arguments; a list is answered one by one. */
function uploaderWith(
  script: Record<string, Answer | Answer[]>,
  given: { used?: number[]; readOnly?: boolean; device?: MemoryDevice; connectionsMax?: number } = {},
) {
  const runs: string[][] = [];
  const stdins: unknown[] = [];
  const taken: Buffer[] = [];
  const log = recordingLog();
  const clock = new FakeClock();
  const flushed: string[] = [];
  const used = [...(given.used ?? [])];
  const session: ResticSession = {
    identifier: 's3:x',
    where: 'bucket "b"',
    readOnly: given.readOnly ?? false,
    redact: (text) => text.replaceAll('hunter2', '***'),
    failure: (exit, doing, known = []) =>
      engineFailure(exit, known, { subject: { repository: 'r', doing }, fallbackCode: 'ENGINE_FAILED', secrets: [] }),
    close: async () => {},
    run: async (args, options = {}) => {
      runs.push([...args]);
      stdins.push(options.stdin);
      if (typeof options.stdin === 'object') taken.push(await readAll(options.stdin));
      const key = Object.keys(script).find((each) => args.join(' ').startsWith(each)) ?? '';
      const found = script[key] ?? { exitCode: 99, stderr: `no answer to ${args.join(' ')}` };
      const { says, complains, waits, ...exit } = Array.isArray(found) ? (found.shift() ?? {}) : found;
      for (const piece of says?.match(/.{1,7}/gs) ?? []) await options.onStdout?.(Buffer.from(piece));
      if (complains !== undefined) options.onStderr?.(complains);
      if (waits && options.signal?.aborted !== true) {
        await new Promise<void>((done) => options.signal?.addEventListener('abort', () => done()));
      }
      return { ...good, stderr: complains ?? '', ...exit };
    },
  };
  const uploader = resticUploader({
    session,
    clock,
    log,
    // The volume has no links with odd targets.
    programs: { run: async () => good },
    discardMs: 1_000,
    connectionsMax: given.connectionsMax,
    block: {
      devices: given.device?.devices() ?? { open: () => Promise.reject(new Error('there is no device')) },
      tools: (program) => ({ run: () => Promise.reject(new Error(`there is no ${program}`)) }),
      scratchDirectory: '/no/such/directory',
    },
    usedBytes: async () => used.shift() ?? 0,
    flush: async (path) => {
      flushed.push(path);
    },
  });
  return { uploader, runs, stdins, taken, log, clock, flushed };
}

function request(config: Record<string, string> = {}, signal = new AbortController().signal) {
  const progress: DataPathProgress[] = [];
  const onProgress = (each: DataPathProgress) => progress.push(each);
  return { progress, volumePath, volumeMode: 'Filesystem' as const, source, config, onProgress, signal };
}

/** Advances the clock until the work has ended: between two waits the work may do real I/O. */
async function letTimePass(work: Promise<unknown>, clock: { advance(ms: number): Promise<void> }): Promise<void> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over) {
    await letWorkRun();
    await clock.advance(lockedLimits.waitMs);
  }
}

describe('upload', () => {
  it('creates a child of its newest snapshot, and reports progress and result', async () => {
    const { uploader, runs } = uploaderWith({
      'snapshots --json --no-lock --host': { stdout: listed(...ours) },
      backup: {
        says: `{"message_type":"status","bytes_done":5}\n{"message_type":"status","bytes_done":20,"total_bytes":10}\n${summary()}`,
      },
      'snapshots --json --no-lock abcdef01': { stdout: listed() },
    });
    const wanted = request();
    expect(await uploader.upload(wanted)).toEqual({ snapshotID: id, totalBytes: 1000, incrementalBytes: 300 });
    expect(wanted.progress).toEqual([
      { doneBytes: 5 },
      { totalBytes: 10, doneBytes: 10 },
      { totalBytes: 1000, doneBytes: 1000 },
    ]);
    expect(runs[1]).toEqual([
      'backup',
      '.',
      '--host=velero',
      '--json',
      `--parent=${id}`,
      '--tag=snapshot-requester=r',
      '--tag=snapshot-uploader=restic',
      '--tag=snapshot-source=s/restic/ns/pvc',
      '--tag=volume-mode=Filesystem',
      expect.stringMatching(/^--tag=volume-root=700 \d+:\d+ \d+\.\d{6}$/),
    ]);
  });

  it('reads everything when there is no snapshot of the same volume', async () => {
    const { uploader, runs } = uploaderWith({
      'snapshots --json --no-lock --host': { stdout: listed('volume-mode=Filesystem') },
      backup: { says: summary() },
      'snapshots --json --no-lock abcdef01': { stdout: listed() },
    });
    await uploader.upload(request());
    expect(runs[1]).toContain('--force');
  });

  it('stores an empty volume as a snapshot that is marked as empty', async () => {
    const { uploader, runs, stdins } = uploaderWith({
      snapshots: { stdout: listed() },
      'backup .': { exitCode: 1, stderr: 'Fatal: unable to save snapshot: snapshot is empty' },
      'backup --stdin': { says: summary() },
    });
    expect(await uploader.upload(request())).toEqual({ snapshotID: id, totalBytes: 0, incrementalBytes: 0 });
    expect(runs[2]).toEqual(
      expect.arrayContaining(['--stdin-filename=this-volume-was-empty', '--tag=volume-empty=true']),
    );
    expect(stdins[2]).toMatch(/empty/);
  });

  it('names unreadable files, and deletes the incomplete snapshot', async () => {
    const errors = ['a', 'b', 'a'].map(
      (item) => `{"message_type":"error","error":{"Err":13},"during":"archival","item":"/v/${item} hunter2"}\n`,
    );
    const { uploader, runs } = uploaderWith({
      snapshots: { stdout: '[]' },
      backup: { exitCode: 3, says: summary(), complains: errors.join('') },
      forget: {},
    });
    await expect(uploader.upload(request())).rejects.toMatchObject({
      code: 'UPLOADER_SOURCE_UNREADABLE',
      message: expect.stringMatching(
        /2 entries not read: \/v\/a \*\*\*: permission denied; \/v\/b \*\*\*: permission denied/,
      ),
    });
    expect(runs.at(-1)).toEqual(['forget', 'abcdef01']);
  });

  describe('of a volume in use', () => {
    const error = (item: string, errno: number, during = 'archival') =>
      `${JSON.stringify({ message_type: 'error', error: { Op: 'lstat', Path: item, Err: errno }, during, item })}\n`;
    const script = (complains: string, exitCode = 3) => ({
      'snapshots --json --no-lock --host': { stdout: '[]' },
      backup: { exitCode, says: summary(), complains },
      'snapshots --json --no-lock abcdef01': { stdout: listed() },
      forget: {},
    });
    const live = () => ({ ...request(), source: { ...source, isLive: true } });

    it('keeps the snapshot without vanished files, and reports them', async () => {
      const lost = `${error('/v/a', 2, 'scan')}${error('/v/a', 2)}${error('/v/d', 116)}Warning: at least one source file could not be read\n`;
      const { uploader, runs } = uploaderWith(script(lost));
      const { snapshotID, warning } = await uploader.upload(live());
      expect([snapshotID, warning]).toEqual([id, '2 files vanished while the volume was read (/v/a, /v/d)']);
      expect(runs.map(([command]) => command)).not.toContain('forget');
    });

    it('fails at an existing file that cannot be read, even if others vanished', async () => {
      const { uploader, runs } = uploaderWith(script(`${error('/v/a', 2)}${error('/v/b', 13)}`));
      await expect(uploader.upload(live())).rejects.toMatchObject({
        code: 'UPLOADER_SOURCE_UNREADABLE',
        message: expect.stringContaining('1 entries not read: /v/b: permission denied'),
      });
      expect(runs.at(-1)).toEqual(['forget', 'abcdef01']);
    });

    it('tolerates no missing file in a snapshot volume', async () => {
      const { uploader } = uploaderWith(script(error('/v/a', 2)));
      await expect(uploader.upload(request())).rejects.toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
    });
  });

  it('does not report a volume as empty when nothing could be read', async () => {
    const { uploader, runs } = uploaderWith({
      snapshots: { stdout: '[]' },
      backup: {
        exitCode: 1,
        complains: '{"message_type":"error","error":{},"during":"archival","item":"x"}\nFatal: snapshot is empty',
      },
    });
    await expect(uploader.upload(request())).rejects.toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
    expect(runs).toHaveLength(2);
  });

  it('deletes a snapshot that restic saved although it was asked to stop, and rejects with the reason', async () => {
    const { uploader, runs } = uploaderWith({
      snapshots: { stdout: '[]' },
      backup: { says: summary(), waits: true, exitCode: 130 },
      forget: {},
    });
    const abort = new AbortController();
    const upload = uploader.upload(request({}, abort.signal));
    upload.catch(() => {});
    // Before that, a real program checks the names of the volume.
    await expect.poll(() => runs.length).toBe(2);
    abort.abort(new AppError('DATA_PATH_CANCELED', 'data path is canceled'));
    await expect(upload).rejects.toThrow('data path is canceled');
    expect(runs.at(-1)).toEqual(['forget', 'abcdef01']);
  });

  it('removes the lock that a killed restic has left', async () => {
    const { uploader, runs } = uploaderWith({
      snapshots: { stdout: '[]' },
      backup: {
        exitCode: undefined,
        endedBy: 'SIGKILL',
        stderr: 'Save(<data/1>) returned error, retrying after 1s: dial tcp: connection refused\n',
      } as Answer,
      unlock: {},
    });
    await expect(uploader.upload(request())).rejects.toMatchObject({ code: 'ENGINE_KILLED' });
    expect(runs.at(-1)).toEqual(['unlock']);
  });

  it('waits while another process has locked the repository, for a limited time', async () => {
    const lockedOnce = {
      exitCode: 1,
      stderr: 'Fatal: unable to create lock in backend: repository is already locked by PID 7',
    };
    const patient = uploaderWith({
      'snapshots --json --no-lock --host': { stdout: '[]' },
      backup: [lockedOnce, lockedOnce, { says: summary() }],
      'snapshots --json --no-lock abcdef01': { stdout: listed() },
    });
    const upload = patient.uploader.upload(request());
    await letTimePass(upload, patient.clock);
    expect(await upload).toMatchObject({ snapshotID: id });
    const never = uploaderWith({ snapshots: { stdout: '[]' }, backup: lockedOnce });
    const refused = never.uploader.upload(request());
    await letTimePass(refused, never.clock);
    await expect(refused).rejects.toMatchObject({ code: 'REPOSITORY_LOCKED' });
    expect(never.runs.filter(([command]) => command === 'backup')).toHaveLength(lockedLimits.attemptsMax);
  });

  it.each([
    ['Fatal: wrong password or no key found', 'REPOSITORY_PASSWORD_WRONG'],
    ['write /scratch/x: no space left on device', 'UPLOADER_CACHE_FULL'],
    ['dial tcp 1.2.3.4:443: connect: connection refused', 'OBJECT_STORE_UNAVAILABLE'],
    ['panic: something new', 'ENGINE_FAILED'],
  ])('maps %j to %s', async (stderr, code) => {
    const { uploader } = uploaderWith({ snapshots: { stdout: '[]' }, backup: { exitCode: 1, stderr } });
    await expect(uploader.upload(request())).rejects.toMatchObject({ code });
  });

  it('does not treat missing output as success', async () => {
    const { uploader } = uploaderWith({ snapshots: { stdout: '[]' }, backup: {} });
    await expect(uploader.upload(request())).rejects.toMatchObject({ code: 'UPLOADER_BAD_ANSWER' });
  });

  it('looks for no parent when unchanged files are to be read, too', async () => {
    const { uploader, runs } = uploaderWith({
      backup: { says: summary() },
      'snapshots --json --no-lock abcdef01': { stdout: listed() },
    });
    await uploader.upload(request({ ReadUnchangedFiles: 'true' }));
    expect(runs.find(([command]) => command === 'backup')).toContain('--force');
    expect(runs.flat().filter((arg) => arg.startsWith('--tag=') && arg.includes(','))).toEqual([]);
  });

  it('uses the named snapshot as parent, or none with a reason', async () => {
    const older = 'b'.repeat(64);
    const answer = JSON.parse(listed(...ours)) as { id: string; time: string }[];
    const both = JSON.stringify([
      ...answer.map((one) => ({ ...one, id: older, time: '2001-01-01T00:00:00Z' })),
      ...answer,
    ]);
    const parentOf = async (ParentSnapshot: string) => {
      const { uploader, runs } = uploaderWith({
        'snapshots --json --no-lock --host': { stdout: both },
        backup: { says: summary() },
        'snapshots --json --no-lock abcdef01': { stdout: listed() },
      });
      const warnings: string[] = [];
      await uploader.upload({ ...request({ ParentSnapshot }), onWarning: (text) => warnings.push(text) });
      const args = runs.find(([command]) => command === 'backup') ?? [];
      return [args.filter((arg) => arg.startsWith('--parent') || arg === '--force'), warnings];
    };
    expect(await parentOf(older)).toEqual([[`--parent=${older}`], []]);
    expect(await parentOf('c'.repeat(64))).toEqual([
      ['--force'],
      [
        `All files were read: parent snapshot ${'c'.repeat(64)} is not a complete snapshot of this volume in the repository.`,
      ],
    ]);
  });

  it('reports settings without effect, and logs no secret that restic prints', async () => {
    const { uploader, log } = uploaderWith({
      'snapshots --json --no-lock --host': { stdout: '[]' },
      backup: { says: summary(), complains: 'oops hunter2\n' },
      'snapshots --json --no-lock abcdef01': { stdout: listed() },
    });
    await uploader.upload(request({ ParallelFilesUpload: '4' }));
    const lines = JSON.stringify(log.lines);
    expect(lines).toContain('ParallelFilesUpload');
    expect(lines).toContain('oops ***');
    expect(lines).not.toContain('hunter2');
  });
});

describe('download', () => {
  const restored = { snapshots: { stdout: listed(...ours) }, stats: { stdout: '{"total_size":1000}' } };
  const wanted = (config: Record<string, string> = {}, snapshotID = id) => ({ ...request(config), snapshotID });

  it('looks up the snapshot, restores it, reports growth, and syncs the volume', async () => {
    const { uploader, runs, flushed } = uploaderWith({ ...restored, restore: {} }, { used: [100, 500] });
    const asked = wanted({ ParallelFilesDownload: '7' });
    expect(await uploader.download(asked)).toMatchObject({ totalBytes: 1000, report: { reader: 'engine', files: 0 } });
    expect(runs[2]).toEqual(['restore', id, `--target=${volumePath}`, '--option=s3.connections=7']);
    expect(asked.progress.at(-1)).toEqual({ totalBytes: 1000, doneBytes: 1000 });
    expect(flushed).toEqual([volumePath]);
  });

  it.each([
    ['0', undefined],
    ['many', undefined],
    ['1000', '--option=s3.connections=32'],
  ])('takes ParallelFilesDownload %j as %s', async (value, flag) => {
    const { uploader, runs } = uploaderWith({ ...restored, restore: {} });
    await uploader.download(wanted({ ParallelFilesDownload: value }));
    expect(runs[2]?.find((arg) => arg.includes('connections'))).toBe(flag);
  });

  it('uses no more connections than memory allows, also for an upload', async () => {
    const restore = uploaderWith({ ...restored, restore: {} }, { connectionsMax: 3 });
    await restore.uploader.download(wanted({ ParallelFilesDownload: '7' }));
    expect(restore.runs[2]).toContain('--option=s3.connections=3');
    const upload = uploaderWith(
      { snapshots: [{ stdout: '[]' }, { stdout: listed() }], backup: { says: summary() } },
      { connectionsMax: 0 },
    );
    await upload.uploader.upload(request());
    expect(upload.runs[1]).toContain('--option=s3.connections=1');
  });

  it('restores only the root of an empty volume', async () => {
    const tags = snapshotTags(source, 'Filesystem', { empty: true });
    const { uploader, runs, flushed } = uploaderWith({ snapshots: { stdout: listed(...tags) } });
    expect(await uploader.download(wanted())).toMatchObject({ totalBytes: 0 });
    expect(runs).toHaveLength(1);
    expect(flushed).toEqual([volumePath]);
  });

  it.each(['', 'latest', '/etc', '../x', `${id}:sub`, 'ABCDEF01'])(
    'changes nothing for the ID %j',
    async (snapshotID) => {
      const { uploader, runs } = uploaderWith({});
      await expect(uploader.download(wanted({}, snapshotID))).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID' });
      expect(runs).toEqual([]);
    },
  );

  it('changes nothing for a missing snapshot, or one of another kind of volume', async () => {
    const none = uploaderWith({ snapshots: { stdout: '[]' } });
    await expect(none.uploader.download(wanted())).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
    const block = uploaderWith({ snapshots: { stdout: listed('volume-mode=Block') } });
    await expect(block.uploader.download(wanted())).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID' });
    expect([...none.runs, ...block.runs]).toHaveLength(2);
  });

  it('stops restic at the first write that cannot succeed', async () => {
    const complains = 'ignoring error for /d/f: write /v/d/f: no space left on device\n';
    const { uploader, flushed } = uploaderWith({ ...restored, restore: { complains, waits: true, exitCode: 130 } });
    await expect(uploader.download(wanted())).rejects.toMatchObject({ code: 'UPLOADER_VOLUME_FULL' });
    expect(flushed).toEqual([]);
  });

  it.each([
    ['ignoring error for /d: mkdir /v/d: read-only file system', 'UPLOADER_TARGET_NOT_WRITABLE'],
    ['ignoring error for /f: ciphertext verification failed', 'UPLOADER_DATA_MISSING'],
    ['Fatal: There were 3 errors', 'ENGINE_FAILED'],
  ])('when restore prints %j it fails with %s and does not sync', async (stderr, code) => {
    const { uploader, flushed } = uploaderWith({ ...restored, restore: { exitCode: 1, stderr } });
    await expect(uploader.download(wanted())).rejects.toMatchObject({ code });
    expect(flushed).toEqual([]);
  });
});

describe('block volumes', () => {
  const content = Buffer.concat([Buffer.alloc(8192, 'x'), Buffer.alloc(4096), Buffer.from('end'.repeat(512))]);
  const told = (bytes: number) => summary({ total_bytes_processed: bytes, data_added: 10 });
  const block = () => ({ ...request({ SkipUnusedBlocks: 'false' }), volumeMode: 'Block' as const, volumePath: '/uid' });
  const file = `{"struct_type":"snapshot"}\n{"struct_type":"node","path":"/volume","type":"file","size":${content.length}}\n`;
  const stored = { snapshots: { stdout: listed('volume-mode=Block') }, ls: { stdout: file } };

  it('are one file with every byte of the device', async () => {
    const device = new MemoryDevice(Buffer.from(content));
    const rig = uploaderWith({ backup: { says: told(content.length) }, snapshots: { stdout: listed() } }, { device });
    const wanted = block();
    expect(await rig.uploader.upload(wanted)).toEqual({
      snapshotID: id,
      totalBytes: content.length,
      incrementalBytes: 10,
    });
    expect(rig.taken[0]?.equals(content)).toBe(true);
    expect(rig.runs[0]?.slice(0, 5)).toEqual([
      'backup',
      '--stdin',
      '--stdin-filename=volume',
      '--host=velero',
      '--json',
    ]);
    expect(wanted.progress.at(-1)).toEqual({ totalBytes: content.length, doneBytes: content.length });
    expect(device.closed).toBe(true);
  });

  it('are read again when the repository was locked', async () => {
    const device = new MemoryDevice(Buffer.from(content));
    const lockedOnce = { exitCode: 1, stderr: 'Fatal: repository is already locked by PID 7' };
    const answers = { backup: [lockedOnce, { says: told(content.length) }], snapshots: { stdout: listed() } };
    const rig = uploaderWith(answers, { device });
    const upload = rig.uploader.upload(block());
    await letWorkRun();
    await rig.clock.advance(lockedLimits.waitMs);
    expect(await upload).toMatchObject({ snapshotID: id });
    expect(rig.taken.map((each) => each.equals(content))).toEqual([true, true]);
  });

  it.each([
    ['restic has less than the device', told(5), undefined, 'UPLOADER_INCOMPLETE'],
    ['the device cannot be read', told(content.length), 7, 'BLOCK_READ_FAILED'],
  ])('keep no snapshot when %s', async (_, says, brokenAt, code) => {
    const device = new MemoryDevice(Buffer.from(content));
    device.brokenAt = brokenAt;
    const rig = uploaderWith({ backup: { says }, forget: {} }, { device });
    await expect(rig.uploader.upload(block())).rejects.toMatchObject({ code });
    expect(rig.runs.at(-1)).toEqual(['forget', 'abcdef01']);
  });

  it('are restored byte for byte', async () => {
    const device = new MemoryDevice(Buffer.alloc(content.length + 100, 'old'));
    const rig = uploaderWith({ ...stored, dump: { says: content.toString('latin1') } }, { device });
    expect(await rig.uploader.download({ ...block(), snapshotID: id })).toMatchObject({
      totalBytes: content.length,
      report: { reader: 'engine' },
    });
    expect(device.content.subarray(0, content.length).equals(content)).toBe(true);
    expect(rig.runs.at(-1)).toEqual(['dump', id, '/volume']);
    expect(device.flushed).toBe(true);
  });

  it.each([
    [
      'a tree',
      { ...stored, ls: { stdout: `${file}{"struct_type":"node","path":"/b","type":"file"}\n` } },
      'SNAPSHOT_INVALID',
    ],
    ['data that ends early', { ...stored, dump: { says: 'short' } }, 'BLOCK_DATA_CUT'],
    [
      'data that is missing',
      { ...stored, dump: { exitCode: 1, stderr: 'blob abc not found' } },
      'UPLOADER_DATA_MISSING',
    ],
    ['a file system', { snapshots: { stdout: listed(...ours) } }, 'SNAPSHOT_INVALID'],
  ])('are not restored from %s', async (_, script, code) => {
    const device = new MemoryDevice(Buffer.alloc(content.length));
    const rig = uploaderWith(script, { device });
    await expect(rig.uploader.download({ ...block(), snapshotID: id })).rejects.toMatchObject({ code });
  });
});
