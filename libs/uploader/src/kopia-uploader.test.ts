import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { DataPathProgress } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Random } from '@lateen/kernel';
import { type EngineExit, engineFailure, type KopiaSession } from '@lateen/repository';
import { FakeClock, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { endLine, headerLine, recordLine } from './attributes/attribute-record.ts';
import { packInline, unpackInline } from './attributes/inline-manifest.ts';
import type { Programs } from './attributes/programs.ts';
import type { BlockOptions } from './block/block-options.ts';
import { kopiaUploader } from './kopia-uploader.ts';

const id = '0123456789abcdef0123456789abcdef';
const attributesId = 'fedcba9876543210fedcba9876543210';
const key = '00000000-0000-4000-8000-000000000001';
const good: EngineExit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
const manifest = (more: object = {}) =>
  JSON.stringify({ id, stats: { totalSize: 1000 }, rootEntry: { summ: { size: 1000, numFailed: 0 } }, ...more });
const shown = `// id: ${id}\n// label type:snapshot\n${JSON.stringify({ id: '', stats: { totalSize: 1000 } })}`;

const random: Random = { next: () => 0, uuid: () => key, suffix: () => 'bcdfg' };
/** An empty volume; the scan still finds its root folder. */
const emptyVolume: Programs = {
  run: async (program, { args, onStdout }) => {
    if (program === 'find' && args.includes('d')) await onStdout?.(Buffer.from('1:2 d 2 755 0 0 1.5000000000 //\0'));
    return good;
  },
};
/** More folders than a manifest in a tag can hold, with ascending times. */
const manyFolders: Programs = {
  run: async (program, { args, onStdout }) => {
    const folder = (_: unknown, at: number) =>
      `1:2 d 2 755 0 0 1.${String((at * 2_654_435_761) % 1e9).padStart(9, '0')}0 ${at === 0 ? '' : at}//\0`;
    if (program === 'find' && args.includes('d'))
      await onStdout?.(Buffer.from(Array.from({ length: 1000 }, folder).join('')));
    return good;
  },
};
const rootRecord = { path: '', mode: 0o755, uid: 0, gid: 0, mtime: '1.500000000', type: 'directory' };

const unreadable: EngineExit = { ...good, exitCode: 1, stderr: 'find: /uid/d: Input/output error' };

/** Block volumes have tests of their own. */
const noBlockDevices: BlockOptions = {
  devices: { open: () => Promise.reject(new Error('there are no block devices')) },
  tools: (program) => ({ run: () => Promise.reject(new Error(`there is no ${program}`)) }),
  scratchDirectory: '/no/such/directory',
};

/**
 * A session whose runs answer from a script: first words of the arguments → what happens. The run that stores attributes has the
 * key "store attributes"; it succeeds when the script does not have it.
 */
function uploaderWith(
  script: Record<string, Partial<EngineExit> & { says?: string; waits?: true }>,
  programs = emptyVolume,
  more: { parallelMax?: number } = {},
) {
  const runs: string[][] = [];
  const manifests: string[] = [];
  const log = recordingLog();
  const flushed: string[] = [];
  const session: KopiaSession = {
    storage: { type: 's3', config: {} },
    where: 'bucket "b"',
    redact: (text) => text.replaceAll('hunter2', '***'),
    failure: (exit, doing, known = []) =>
      engineFailure(exit, known, { subject: { repository: 'r', doing }, fallbackCode: 'ENGINE_FAILED', secrets: [] }),
    close: async () => {},
    run: async (args, options = {}) => {
      runs.push([...args]);
      const stores = args.some((each) => each.startsWith('--stdin-file='));
      if (stores) manifests.push(await unpackedText(options.stdin));
      const { says, waits, ...exit } = (stores
        ? (script['store attributes'] ?? { stdout: manifest({ id: attributesId }) })
        : (script[args.slice(0, 2).join(' ')] ?? script[args[0] ?? ''])) ?? { exitCode: 99 };
      if (says !== undefined) for (const piece of says.match(/.{1,7}/gs) ?? []) options.onStderr?.(piece);
      if (waits && options.signal?.aborted !== true)
        await new Promise<void>((done) => options.signal?.addEventListener('abort', () => done()));
      return { ...good, ...exit };
    },
  };
  const uploader = kopiaUploader({
    session,
    clock: new FakeClock(),
    random,
    programs,
    block: noBlockDevices,
    log,
    parallelFiles: 2,
    ...more,
    discardMs: 1000,
    flush: async (path) => {
      flushed.push(path);
    },
  });
  return { uploader, runs, log, flushed, manifests };
}

async function unpackedText(stdin: string | AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of Readable.from(stdin ?? [])) chunks.push(Buffer.from(chunk));
  return gunzipSync(Buffer.concat(chunks)).toString();
}

function uploadRequest(config: Record<string, string> = {}, signal = new AbortController().signal) {
  const progress: DataPathProgress[] = [];
  return {
    progress,
    volumePath: '/uid',
    volumeMode: 'Filesystem' as const,
    source: { path: 'snapshot-data-upload-download/kopia/ns/pvc', tags: { 'snapshot-uploader': 'kopia' } },
    config,
    onProgress: (each: DataPathProgress) => progress.push(each),
    signal,
  };
}

describe('upload of a volume in use', () => {
  const gone = (path: string) =>
    ` ! Error when processing "${path}": unable to open file: unable to open local file: open /uid/${path}: no such file or directory\n`;
  const denied = ' ! Error when processing "k": unable to open file: open /uid/k: permission denied\n';
  const without = (numFailed: number) => manifest({ rootEntry: { summ: { size: 1000, numFailed, errors: [] } } });
  const found = 'Found 2 fatal error(s) while snapshotting x.\n';
  const live = (signal?: AbortSignal) => {
    const warnings: string[] = [];
    const request = uploadRequest({}, signal);
    const onWarning = (text: string) => void warnings.push(text);
    return { ...request, source: { ...request.source, isLive: true }, warnings, onWarning };
  };

  it('continues when files vanish, and reports them once', async () => {
    const { uploader, runs } = uploaderWith({
      'snapshot create': { says: `\n${gone('a')}\n${gone('d/b')}${found}`, stdout: without(2), exitCode: 1 },
    });
    const request = live();
    const { warning, snapshotID } = await uploader.upload(request);
    expect([snapshotID, warning]).toEqual([id, '2 files vanished while the volume was read (a, d/b)']);
    expect(request.warnings).toEqual([warning]);
    expect(runs.find((run) => run[1] === 'create')).not.toContain('--fail-fast');
  });

  it.each([
    ['a file that cannot be read', `\n${gone('a')}${denied}`, without(2), /1 entries not read: k: .*permission denied/],
    ['more missing than kopia has told', `\n${gone('a')}`, without(2), /Found 2 fatal|2 entries not read/],
    ['a repository that fails meanwhile', `\n${gone('a')}upload error: x\n`, '', /uploading \/uid/],
  ])('fails at %s, and keeps no snapshot', async (_, says, stdout, message) => {
    const { uploader, runs } = uploaderWith({
      'snapshot create': { says, stdout, exitCode: 1, stderr: stdout === '' ? 'upload error: x' : found },
      'snapshot delete': {},
    });
    await expect(uploader.upload(live())).rejects.toMatchObject({ message: expect.stringMatching(message) });
    const deleted = runs.filter((run) => run[1] === 'delete').map((run) => run.includes(id));
    expect(deleted).toEqual(stdout === '' ? [] : [true]);
  });

  it('ends the run at the first unreadable file, as it does for a snapshot volume', async () => {
    const { uploader } = uploaderWith({
      'snapshot create': { says: `\n${denied}`, waits: true, stdout: without(1), exitCode: 1 },
      'snapshot delete': {},
    });
    await expect(uploader.upload(live())).rejects.toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
  });

  it('tolerates no missing file in a snapshot volume', async () => {
    const { uploader, runs } = uploaderWith({
      'snapshot create': { says: `\n${gone('a')}`, stdout: without(1), exitCode: 0 },
      'snapshot delete': {},
    });
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
    expect(runs.find((run) => run[1] === 'create')).toContain('--fail-fast');
  });
});

describe('upload', () => {
  it('creates a pinned snapshot under Velero’s source, and reports progress and result', async () => {
    const { uploader, runs } = uploaderWith({
      'snapshot create': {
        says:
          'Snapshotting x ...\n | 1 hashing, 0 hashed (400 B), 1 cached (100 B), uploaded 0 B, estimating...' +
          '\r * 0 hashing, 3 hashed (800 B), 1 cached (200 B), uploaded 1 KB, estimated 990 B (100.0%) 0s left\n',
        stdout: manifest(),
      },
    });
    const request = uploadRequest();
    expect(await uploader.upload(request)).toEqual({ snapshotID: id, totalBytes: 1000, incrementalBytes: 800 });
    expect(request.progress).toEqual([
      { doneBytes: 500 },
      { totalBytes: 990, doneBytes: 990 },
      { totalBytes: 1000, doneBytes: 1000 },
    ]);
    expect(runs[0]).toEqual([
      'snapshot',
      'create',
      '/uid',
      '--override-source=default@default:snapshot-data-upload-download/kopia/ns/pvc',
      '--description=Kopia Uploader',
      '--pin=velero-pin',
      '--tags=snapshot-uploader:kopia',
      expect.stringMatching(/^--tags=lateen-attributes-inline:1\.[\w-]+$/),
      '--parallel=2',
      '--fail-fast',
      '--no-send-snapshot-report',
      '--json',
      '--json-verbose',
      '--progress',
      '--progress-update-interval=500ms',
    ]);
  });

  it.each([
    ['7', '--parallel=7'],
    ['0', '--parallel=2'],
    ['-3', '--parallel=2'],
    ['many', '--parallel=2'],
    ['100000', '--parallel=256'],
  ])('takes ParallelFilesUpload %j as %s', async (value, flag) => {
    const { uploader, runs } = uploaderWith({ 'snapshot create': { stdout: manifest() } });
    await uploader.upload(uploadRequest({ ParallelFilesUpload: value }));
    expect(runs[0]).toContain(flag);
  });

  it.each([
    ['names none: no look at its policy', {}, undefined, undefined],
    ['names one', { splitter: 'FIXED-4M' }, undefined, 'FIXED-4M'],
    ['names the one it has', { splitter: 'FIXED-4M' }, 'FIXED-4M', undefined],
  ])('of files whose configuration %s', async (_, config: Record<string, string>, algorithm, gets) => {
    const stdout = JSON.stringify({ scheduling: { manual: true }, splitter: { algorithm } });
    const { uploader, runs } = uploaderWith({
      'policy show': { stdout },
      'policy set': {},
      'snapshot create': { stdout: manifest() },
    });
    await uploader.upload(uploadRequest(config));
    const source = 'default@default:snapshot-data-upload-download/kopia/ns/pvc';
    expect(runs.slice(0, -1)).toEqual([
      ...(config.splitter === undefined ? [] : [['policy', 'show', source, '--json']]),
      ...(gets === undefined ? [] : [['policy', 'set', source, `--splitter=${gets}`]]),
    ]);
    expect(runs.at(-1)).toContain('create');
  });

  it('deletes both snapshots when kopia saved one although it was asked to stop, and rejects with the reason', async () => {
    const script = {
      'snapshot create': { waits: true as const, stdout: manifest({ incomplete: 'canceled' }) },
      'snapshot delete': {},
    };
    const { uploader, runs, manifests } = uploaderWith(script, manyFolders);
    const abort = new AbortController();
    const upload = uploader.upload(uploadRequest({}, abort.signal));
    await expect.poll(() => manifests).toHaveLength(1);
    abort.abort(new AppError('DATA_PATH_CANCELED', 'data path is canceled'));
    await expect(upload).rejects.toThrow('data path is canceled');
    expect(runs.at(-1)).toEqual(['snapshot', 'delete', attributesId, id, '--delete']);
  });

  it.each([
    [
      'could not read everything',
      { rootEntry: { summ: { numFailed: 1, errors: [{ path: 'a/b', error: 'denied hunter2' }] } } },
      'UPLOADER_SOURCE_UNREADABLE',
      /1 entries not read: a\/b: denied \*\*\*/,
    ],
    ['is incomplete', { incomplete: 'limit' }, 'UPLOADER_INCOMPLETE', /stopped early \(limit\)/],
  ])('fails when the snapshot %s, and deletes it', async (_, more, code, message) => {
    const { uploader, runs } = uploaderWith({ 'snapshot create': { stdout: manifest(more) }, 'snapshot delete': {} });
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(runs.at(-1)).toEqual(['snapshot', 'delete', id, '--delete']);
  });

  it('stores what kopia does not keep in a second manifest, linked by a key', async () => {
    const { uploader, runs, manifests } = uploaderWith({ 'snapshot create': { stdout: manifest() } }, manyFolders);
    await uploader.upload(uploadRequest());
    expect(runs).toHaveLength(2);
    expect(runs[1]).toContain(`--tags=lateen-attributes:${key}`);
    expect(runs[0]).toEqual([
      'snapshot',
      'create',
      '/lateen-attributes',
      '--stdin-file=attributes.jsonl.gz',
      '--override-source=default@default:lateen-attributes/ns/pvc',
      '--description=Lateen attribute manifest',
      '--pin=velero-pin',
      `--tags=lateen-attributes:${key}`,
      '--no-send-snapshot-report',
      '--json',
      '--no-progress',
    ]);
    const lines = manifests[0]?.trim().split('\n') ?? [];
    expect(lines).toHaveLength(1002);
    expect(lines[0]).toBe('{"lateen-attributes":1}');
    expect(lines.at(-1)).toBe('{"end":{"records":1000,"sockets":0}}');
  });

  it('stores it in a tag when it is small, and then needs no memory for a second kopia', async () => {
    const script = { 'snapshot create': { stdout: manifest() } };
    const { uploader, runs } = uploaderWith(script, emptyVolume, { parallelMax: 4 });
    await uploader.upload(uploadRequest({ ParallelFilesUpload: '99' }));
    expect(runs).toHaveLength(1);
    expect(runs[0]).toContain('--parallel=4');
    const tag = runs[0]?.find((arg) => arg.startsWith('--tags=lateen-attributes-inline:')) ?? '';
    expect(Buffer.from(unpackInline(tag.slice(tag.indexOf(':') + 1))).toString()).toBe(
      `{"lateen-attributes":1}\n${JSON.stringify(rootRecord)}\n{"end":{"records":1,"sockets":0}}\n`,
    );
  });

  it('stores it first when the pod has too little memory for two kopia processes', async () => {
    const script = { 'snapshot create': { stdout: manifest() } };
    const tight = uploaderWith(script, manyFolders, { parallelMax: 4 });
    await tight.uploader.upload(uploadRequest());
    expect(tight.runs.map((args) => args[2])).toEqual(['/lateen-attributes', '/uid']);
    expect(tight.runs[1]).toContain('--parallel=2');
    const roomy = uploaderWith(script, manyFolders, { parallelMax: 10 });
    await roomy.uploader.upload(uploadRequest({ ParallelFilesUpload: '99' }));
    expect(roomy.runs.map((args) => args[2])).toEqual(['/lateen-attributes', '/uid']);
    expect(roomy.runs[1]).toContain('--parallel=7');
  });

  it('does not begin when the earlier step has failed', async () => {
    const script = { 'store attributes': { exitCode: 1, stderr: 'invalid repository password' } };
    const { uploader, runs } = uploaderWith(script, manyFolders, { parallelMax: 1 });
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
    expect(runs).toHaveLength(1);
  });

  it('stores no attributes when the config says so', async () => {
    const { uploader, runs } = uploaderWith({ 'snapshot create': { stdout: manifest() } });
    await uploader.upload(uploadRequest({ AttributeManifest: 'false' }));
    expect(runs).toHaveLength(1);
    expect(runs[0]?.join(' ')).not.toContain('lateen-attributes');
  });

  it('fails completely when the attributes cannot be stored, and deletes what was stored', async () => {
    const script = {
      'snapshot create': { stdout: manifest() },
      'store attributes': { exitCode: 1, stderr: 'dial tcp 1.2.3.4:443: connect: connection refused' },
      'snapshot delete': {},
    };
    const { uploader, runs } = uploaderWith(script, manyFolders);
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      message: expect.stringContaining('storing the attributes of /uid'),
    });
    expect(runs.at(-1)).toEqual(['snapshot', 'delete', id, '--delete']);
  });

  it('does not begin when the attributes cannot be read', async () => {
    const { uploader, runs } = uploaderWith({}, { run: async () => unreadable });
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
    expect(runs).toEqual([]);
  });

  it('fails completely, and stops kopia, when the attributes cannot be read to their end', async () => {
    const refused: Programs = {
      run: async (program, request) => {
        const exit = await manyFolders.run(program, request);
        return request.args.includes('d') ? unreadable : exit;
      },
    };
    const { uploader, runs } = uploaderWith(
      {
        'snapshot create': { waits: true, exitCode: 1, stdout: manifest({ incomplete: 'canceled' }) },
        'snapshot delete': {},
      },
      refused,
    );
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({
      code: 'UPLOADER_SOURCE_UNREADABLE',
      message: 'reading the attributes of /uid: find ended with exit code 1: find: /uid/d: Input/output error',
    });
    expect(runs.at(-1)).toEqual(['snapshot', 'delete', id, '--delete']);
  });

  it.each([
    ['invalid repository password', 'REPOSITORY_PASSWORD_WRONG'],
    ['error: write /scratch/x: no space left on device', 'UPLOADER_CACHE_FULL'],
    ['upload error: unable to open file "/uid/f": input/output error', 'UPLOADER_SOURCE_UNREADABLE'],
    ['dial tcp 1.2.3.4:443: connect: connection refused', 'OBJECT_STORE_UNAVAILABLE'],
    ['panic: something new', 'ENGINE_FAILED'],
  ])('maps %j to %s', async (stderr, code) => {
    const { uploader } = uploaderWith({ 'snapshot create': { exitCode: 1, stderr } });
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({ code });
  });

  it('does not treat missing output as success', async () => {
    const { uploader } = uploaderWith({ 'snapshot create': { stdout: '' } });
    await expect(uploader.upload(uploadRequest())).rejects.toMatchObject({ code: 'UPLOADER_BAD_ANSWER' });
  });

  it('reports what kopia skipped, once the upload has ended', async () => {
    const says =
      ' ! Ignored error when processing "f": permission denied\n | 1 hashing, 0 hashed (0 B), 0 cached (0 B), up\n';
    const run = async (exit: Partial<EngineExit>) => {
      const { uploader } = uploaderWith({ 'snapshot create': { says, ...exit } });
      const warnings: string[] = [];
      const onWarning = (text: string) => void warnings.push(text);
      await uploader.upload({ ...uploadRequest(), onWarning }).catch(() => {});
      return warnings;
    };
    expect(await run({ stdout: manifest() })).toEqual([
      'the engine has ended well, but warned of 1: Ignored error when processing "f": permission denied',
    ]);
    expect(await run({ exitCode: 1, stderr: says })).toEqual([]);
  });

  it('never logs a secret that kopia prints', async () => {
    const { uploader, log } = uploaderWith({ 'snapshot create': { says: 'oops hunter2\n', stdout: manifest() } });
    await uploader.upload(uploadRequest());
    expect(JSON.stringify(log.lines)).not.toContain('hunter2');
    expect(JSON.stringify(log.lines)).toContain('oops ***');
  });
});

describe('download', () => {
  const request = (config: Record<string, string> = {}, snapshotID = id) => ({ ...uploadRequest(config), snapshotID });

  it('looks up the snapshot, restores over existing files, and syncs the volume', async () => {
    const { uploader, runs, flushed } = uploaderWith({
      'manifest show': { stdout: shown },
      restore: { says: '\rProcessed 1 (400 B) of 3 (700 B).\rProcessed 3 (1.1 KB) of 3 (1.1 KB).\n' },
    });
    const wanted = request({ WriteSparseFiles: 'true', ParallelFilesDownload: '5' });
    expect(await uploader.download(wanted)).toMatchObject({ totalBytes: 1000, report: { reader: 'engine' } });
    expect(runs[1]?.slice(0, 3)).toEqual(['restore', id, '/uid']);
    expect(runs[1]).toEqual(expect.arrayContaining(['--write-sparse-files', '--parallel=5', '--mode=local']));
    expect(wanted.progress.map(({ doneBytes }) => doneBytes)).toEqual([400, 1000, 1000]);
    expect(flushed).toEqual(['/uid']);
  });

  it.each(['false', ''])('writes no sparse files when WriteSparseFiles is %j', async (value) => {
    const { uploader, runs } = uploaderWith({ 'manifest show': { stdout: shown }, restore: {} });
    await uploader.download(request({ WriteSparseFiles: value }));
    expect(runs[1]).not.toContain('--write-sparse-files');
  });

  it.each(['', '/etc', '../x', 'kffbb7c28ea6c34d6cbe555d1cf80faa9', `${id}/sub`])(
    'changes nothing for the snapshot ID %j',
    async (snapshotID) => {
      const { uploader, runs } = uploaderWith({});
      await expect(uploader.download(request({}, snapshotID))).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID' });
      expect(runs).toEqual([]);
    },
  );

  describe('of a snapshot of one file', () => {
    const obj = `k${id}`;
    const rootEntry = { obj, summ: { size: 1000, files: 1, numFailed: 0 } };
    const ofOneFile = JSON.stringify({ id: '', stats: { totalSize: 1000 }, rootEntry });
    const folder = (name: string) =>
      JSON.stringify({ stream: 'kopia:directory', entries: [{ name, type: 'f', size: 1000, obj: id }] });

    it('changes nothing when that is a device', async () => {
      const { uploader, runs } = uploaderWith({
        'manifest show': { stdout: ofOneFile },
        [`show ${obj}`]: { stdout: folder('/uid') },
      });
      await expect(uploader.download(request())).rejects.toMatchObject({
        code: 'SNAPSHOT_INVALID',
        message: `snapshot ${id} is that of a block volume`,
      });
      expect(runs.map((args) => args[0])).toEqual(['manifest', 'show']);
    });

    it('restores when that is a file', async () => {
      const { uploader, flushed } = uploaderWith({
        'manifest show': { stdout: ofOneFile },
        [`show ${obj}`]: { stdout: folder('data.img') },
        restore: {},
      });
      await uploader.download(request());
      expect(flushed).toEqual(['/uid']);
    });
  });

  it.each([
    ['manifest show', `error getting metadata for "${id}": manifest ${id}: not found`, 'SNAPSHOT_NOT_FOUND'],
    ['restore', 'error restoring: write /uid/f: no space left on device', 'UPLOADER_VOLUME_FULL'],
    ['restore', 'unable to create /uid/f: read-only file system', 'UPLOADER_TARGET_NOT_WRITABLE'],
    ['restore', 'unable to open object: content abc not found: object not found', 'UPLOADER_DATA_MISSING'],
  ])('when %s prints %j it fails with %s and does not sync', async (verb, stderr, code) => {
    const { uploader, flushed } = uploaderWith({
      'manifest show': { stdout: shown },
      restore: {},
      [verb]: { exitCode: 1, stderr },
    });
    await expect(uploader.download(request())).rejects.toMatchObject({ code });
    expect(flushed).toEqual([]);
  });

  it('is interrupted when kopia is killed, whatever it had skipped', async () => {
    const stderr = 'ignored error chown /uid/f: operation not permitted on /uid/f\n';
    const { uploader } = uploaderWith({
      'manifest show': { stdout: shown },
      restore: { exitCode: undefined, endedBy: 'SIGTERM', stderr },
    });
    await expect(uploader.download(request())).rejects.toMatchObject({ code: 'ENGINE_KILLED' });
  });

  const withTag = (value: string) => {
    const tags = { 'tag:lateen-attributes-inline': value };
    return `// id\n${JSON.stringify({ id: '', stats: { totalSize: 1000 }, tags })}`;
  };

  it('restores the content of a tag without another request', async () => {
    const lines = `${headerLine}${recordLine({ type: 'file', path: 'a', group: 1 })}${endLine({ records: 1, sockets: 0 })}`;
    const stdout = withTag(packInline(lines) ?? '');
    const { uploader, runs, log } = uploaderWith({ 'manifest show': { stdout }, restore: {} });
    await uploader.download(request());
    expect(runs.map(([verb]) => verb)).toEqual(['manifest', 'restore']);
    expect(JSON.stringify(log.lines)).toContain('"records":1,"skipped":1');
  });

  it.each([
    ['1.%%%', 'ATTRIBUTES_INVALID'],
    ['2.abc', 'ATTRIBUTES_VERSION'],
  ])('changes nothing when a tag contains %j', async (value, code) => {
    const { uploader, runs } = uploaderWith({ 'manifest show': { stdout: withTag(value) }, restore: {} });
    await expect(uploader.download(request())).rejects.toMatchObject({ code });
    expect(runs).toHaveLength(1);
    await uploader.download(request({ AttributeManifest: 'false' }));
    expect(runs.map(([verb]) => verb)).toContain('restore');
  });

  it('does not restore from a snapshot that is incomplete', async () => {
    const stdout = `// id\n${JSON.stringify({ id: '', incomplete: 'checkpoint', stats: { totalSize: 1 } })}`;
    const { uploader, runs } = uploaderWith({ 'manifest show': { stdout } });
    await expect(uploader.download(request())).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID' });
    expect(runs).toHaveLength(1);
  });
});
