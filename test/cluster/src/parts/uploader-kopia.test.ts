import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, repositoryRig, sourcePath, testPassword } from '../repository/repository-rig.ts';
import { type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const MB = 1_000_000;
const isRoot = process.getuid?.() === 0;
const secrets = [testPassword, s3Keys.secretAccessKey, s3Keys.accessKeyId];

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, setUpMs);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const shell = (script: string, cwd: string) => execa('/bin/sh', ['-euc', script], { cwd });

/** A small tree with frequent causes of errors: odd names, modes, links, holes, an empty directory. */
async function makeTree(files = 5): Promise<string> {
  const directory = await mkdtemp(join(server.directory, 'tree-'));
  for (let file = 0; file < files; file++) {
    const folder = join(directory, `d${file % 5}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `f${file}`), Buffer.alloc(20_000, `${file} `));
  }
  await shell(
    `mkdir empty 'with space' && printf x > "with space/new
line" && printf y > 'with space/ünïcödé' && ln -s d0/f0 link && ln -s nowhere dangling
     truncate -s 20M sparse && printf end >> sparse && chmod 4711 d0/f0 && chmod 700 empty && chown 1234:5678 d1/f1
     touch -d '2001-02-03 04:05:06.789' d2/f2`,
    directory,
  );
  return directory;
}

/** Type, mode, owner, links, mtime in ns and link target of everything, and the checksum of every file. */
async function describeTree(directory: string): Promise<string> {
  const script = `find . -printf '%P %y %m %U:%G %n %T@ %l\\n' | sort
    find . -type f -print0 | sort -z | xargs -0 sha256sum`;
  return (await shell(script, directory)).stdout;
}

const emptyDirectory = () => mkdtemp(join(server.directory, 'target-'));

async function allocatedBytes(path: string): Promise<number> {
  return Number((await execa('du', ['--block-size=1', path])).stdout.split('\t')[0]);
}

describe('a repository that we created', () => {
  it('stores a volume, then only what changed, and restores the same tree', async () => {
    const rig = await repositoryRig(server, { prefix: 'round-trip' });
    expect(await rig.initialise()).toBe('created');
    expect(await rig.initialise()).toBe('opened');
    const tree = await makeTree(60);
    const progress: number[] = [];
    const first = await rig.upload(tree, ({ doneBytes }) => progress.push(doneBytes ?? 0));
    expect(first.snapshotID).toMatch(/^[0-9a-f]{32}$/);
    expect(first.incrementalBytes).toBe(first.totalBytes);
    expect(progress.at(-1)).toBe(first.totalBytes);
    await writeFile(join(tree, 'd3', 'f3'), Buffer.alloc(21_000, 'changed'));
    const second = await rig.upload(tree);
    // kopia counts the length of an unchanged symlink in the total, and that of a new one not.
    const symlinkBytes = 'd0/f0'.length + 'nowhere'.length;
    expect(second.totalBytes).toBe(first.totalBytes + 1_000 + symlinkBytes);
    expect(second.incrementalBytes).toBeGreaterThanOrEqual(20_900);
    expect(second.incrementalBytes).toBeLessThanOrEqual(21_100);
    expect((await rig.upload(tree)).incrementalBytes).toBe(0);
    const target = await emptyDirectory();
    expect(await rig.download(second.snapshotID, target, { WriteSparseFiles: 'true' })).toMatchObject({
      totalBytes: second.totalBytes,
    });
    expect(await describeTree(target)).toBe(await describeTree(tree));
    expect(await allocatedBytes(join(target, 'sparse'))).toBeLessThan(MB);
  });

  it('reads files that look unchanged only when configured to', async () => {
    const rig = await repositoryRig(server, { prefix: 'read-unchanged' });
    await rig.initialise();
    const tree = await makeTree();
    await rig.upload(tree);
    const file = join(tree, 'd0', 'f0');
    // Written in place, with unchanged size and time.
    await shell("printf hidden | dd of=d0/f0 conv=notrunc status=none && touch -d '2020-01-01' d0/f0", tree);
    await rig.upload(tree);
    await shell("printf HIDDEN | dd of=d0/f0 conv=notrunc status=none && touch -d '2020-01-01' d0/f0", tree);
    const target = await emptyDirectory();
    const restored = async (config: Record<string, string>) => {
      const { snapshotID } = await rig.upload(tree, undefined, undefined, config);
      await rig.download(snapshotID, target);
      return (await readFile(join(target, 'd0', 'f0'))).subarray(0, 6).toString();
    };
    expect((await readFile(file)).subarray(0, 6).toString()).toBe('HIDDEN');
    expect(await restored({})).toBe('hidden');
    expect(await restored({ ReadUnchangedFiles: 'true' })).toBe('HIDDEN');
  });

  it('is incremental to the snapshot in parentSnapshot when that is the latest, and otherwise reads all files', async () => {
    const rig = await repositoryRig(server, { prefix: 'named-parent' });
    await rig.initialise();
    const tree = await makeTree();
    const wrote = (text: string) =>
      shell(`printf ${text} | dd of=d0/f0 conv=notrunc status=none && touch -d '2020-01-01' d0/f0`, tree);
    await wrote('AAAAAA');
    const first = await rig.upload(tree);
    // With unchanged size and time: only reading all files finds it.
    await wrote('BBBBBB');
    const second = await rig.upload(tree);
    const target = await emptyDirectory();
    const contentOf = async (ParentSnapshot: string) => {
      const { snapshotID } = await rig.upload(tree, undefined, undefined, { ParentSnapshot });
      await rig.download(snapshotID, target);
      return { snapshotID, text: (await readFile(join(target, 'd0', 'f0'))).subarray(0, 6).toString() };
    };
    const third = await contentOf(second.snapshotID);
    expect(third.text).toBe('AAAAAA');
    expect((await contentOf(first.snapshotID)).text).toBe('BBBBBB');
    await wrote('CCCCCC');
    expect((await contentOf('0'.repeat(32))).text).toBe('CCCCCC');
  });

  it('overwrites files in the way and keeps files that the snapshot does not have', async () => {
    const rig = await repositoryRig(server, { prefix: 'overwrite' });
    await rig.initialise();
    const tree = await makeTree();
    const { snapshotID } = await rig.upload(tree);
    const target = await emptyDirectory();
    await shell('mkdir d0 && echo old > d0/f0 && echo mine > extra && ln -s /etc/hostname link', target);
    await rig.download(snapshotID, target);
    expect(await readFile(join(target, 'extra'), 'utf8')).toBe('mine\n');
    expect(await readFile(join(target, 'd0', 'f0'))).toEqual(await readFile(join(tree, 'd0', 'f0')));
  });

  it('can be opened with the plain kopia CLI, which shows owner, source, description and pin, and restores', async () => {
    const rig = await repositoryRig(server, { prefix: 'interop' });
    await rig.initialise();
    const tree = await makeTree();
    const { snapshotID } = await rig.upload(tree);
    const kopia = await rig.kopia();
    await kopia.connect();
    const snapshots = JSON.parse(await kopia.run('snapshot', 'list', '--all', '--json')) as { id: string }[];
    const snapshot = snapshots.find(({ id }) => id === snapshotID);
    expect(snapshot).toMatchObject({
      id: snapshotID,
      source: { host: 'default', userName: 'default', path: sourcePath },
      description: 'Kopia Uploader',
      pins: ['velero-pin'],
    });
    const target = await emptyDirectory();
    await kopia.run('restore', snapshotID, target);
    expect(await readdir(target)).toEqual(await readdir(tree));
    expect(JSON.parse(await kopia.run('maintenance', 'info', '--json'))).toMatchObject({
      owner: 'default@default',
      quick: { enabled: true, interval: 3_600e9 },
      full: { enabled: true, interval: 86_400e9 },
    });
    expect(JSON.parse(await kopia.run('repository', 'status', '--json'))).toMatchObject({
      contentFormat: {
        hash: 'BLAKE2B-256-128',
        encryption: 'AES256-GCM-HMAC-SHA256',
        version: 3,
        indexVersion: 2,
        maxPackSize: 20_971_520,
      },
      objectFormat: { splitter: 'DYNAMIC-4M-BUZHASH' },
    });
    const [policy] = JSON.parse(
      await kopia.run('policy', 'show', `default@default:${sourcePath}`, '--json').then((text) => `[${text}]`),
    );
    expect(policy).toMatchObject({ retention: { keepLatest: 2_147_483_647, keepAnnual: 2_147_483_647 } });
  });

  it('has the marker blob by which Velero recognizes it', async () => {
    const rig = await repositoryRig(server, { prefix: 'marker' });
    await rig.initialise();
    const read = (name: string) =>
      rig.store(async (store) => JSON.parse(new TextDecoder().decode(await store.get(rig.prefix + name))));
    const marker = await read('udmrepo.Repository');
    expect(marker).toEqual({ uniqueID: (await read('kopia.repository')).uniqueID });
    expect(Buffer.from(marker.uniqueID, 'base64')).toHaveLength(32);
  });
});

describe('a repository that another program created', () => {
  it('is adopted when it was created by the kopia CLI: it gets the marker, and we own its maintenance', async () => {
    const rig = await repositoryRig(server, { prefix: 'adopted' });
    const kopia = await rig.kopia();
    await kopia.create();
    expect(await rig.initialise()).toBe('adopted');
    expect(await rig.initialise()).toBe('opened');
    await kopia.connect();
    expect(JSON.parse(await kopia.run('maintenance', 'info', '--json')).owner).toBe('default@default');
  });

  it('is rejected when its marker belongs to another repository', async () => {
    const rig = await repositoryRig(server, { prefix: 'mixed' });
    await rig.initialise();
    await rig.store((store) =>
      store.put(`${rig.prefix}udmrepo.Repository`, new TextEncoder().encode('{"uniqueID":"AAAA"}')),
    );
    await expect(rig.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_CORRUPTED' });
  });

  it('is created again when its creation was not finished', async () => {
    const rig = await repositoryRig(server, { prefix: 'half-made' });
    await rig.initialise();
    await rig.store(async (store) => {
      for await (const { key } of store.list(rig.prefix)) if (!key.endsWith('kopia.blobcfg')) await store.delete(key);
    });
    expect(await rig.initialise()).toBe('created');
    expect((await rig.upload(await makeTree())).snapshotID).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is not overwritten: any blob under the prefix prevents the creation', async () => {
    const rig = await repositoryRig(server, { prefix: 'occupied' });
    await rig.store((store) => store.put(`${rig.prefix}holiday.jpg`, new Uint8Array([1, 2, 3])));
    await expect(rig.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_LOCATION_NOT_EMPTY' });
    expect(await rig.store((store) => store.get(`${rig.prefix}holiday.jpg`))).toHaveLength(3);
  });
});

describe('bad input', () => {
  it('a wrong password is named by the controller’s part and by the mover’s part', async () => {
    const good = await repositoryRig(server, { prefix: 'password' });
    await good.initialise();
    const wrong = await repositoryRig(server, { prefix: 'password' }, 'not-the-password');
    await expect(wrong.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
    await expect(wrong.upload(await makeTree())).rejects.toMatchObject({
      code: 'REPOSITORY_PASSWORD_WRONG',
      message: expect.stringContaining('password/kopia/shop/'),
      nextStep: expect.stringContaining('velero-repo-credentials'),
    });
  });

  it('a missing bucket, wrong keys and an unreachable store are named', async () => {
    const noBucket = await repositoryRig(server, { bucket: 'no-such-bucket' });
    await expect(noBucket.initialise()).rejects.toMatchObject({
      code: 'BUCKET_NOT_FOUND',
      message: expect.stringContaining('no-such-bucket'),
    });
    await expect(noBucket.upload(await makeTree())).rejects.toMatchObject({
      code: 'REPOSITORY_NOT_FOUND',
      message: expect.stringContaining('no-such-bucket'),
    });
    const wrongKey = { credentials: { ...s3Keys, secretAccessKey: 'wrong-secret-key' } };
    await expect((await repositoryRig(server, wrongKey)).initialise()).rejects.toMatchObject({
      code: 'OBJECT_STORE_FORBIDDEN',
    });
    await expect((await repositoryRig(server, { endpoint: '127.0.0.1:1' })).initialise()).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      nextStep: expect.stringContaining('Nothing listens there'),
    });
  });

  it('a snapshot that does not exist changes nothing', async () => {
    const rig = await repositoryRig(server, { prefix: 'no-snapshot' });
    await rig.initialise();
    const target = await emptyDirectory();
    await expect(rig.download('0123456789abcdef0123456789abcdef', target)).rejects.toMatchObject({
      code: 'SNAPSHOT_NOT_FOUND',
    });
    expect(await readdir(target)).toEqual([]);
  });

  it.skipIf(!isRoot)('a volume that is too small is reported as full', async () => {
    const rig = await repositoryRig(server, { prefix: 'full' });
    await rig.initialise();
    const tree = await emptyDirectory();
    await shell('head -c 8000000 /dev/urandom > big', tree);
    const { snapshotID } = await rig.upload(tree);
    const target = await emptyDirectory();
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'lateen-test', target]);
    try {
      await expect(rig.download(snapshotID, target)).rejects.toMatchObject({
        code: 'UPLOADER_VOLUME_FULL',
        message: expect.stringContaining('the volume is full'),
      });
    } finally {
      await execa('umount', [target]);
    }
  });

  it.skipIf(!isRoot)('a file that cannot be read fails the backup, with the name of the file', async () => {
    const rig = await repositoryRig(server, { prefix: 'unreadable' });
    await rig.initialise();
    const tree = await makeTree();
    await writeFile(join(tree, 'd0', 'broken'), '');
    // Reading a process's memory at address 0 is an input/output error, also for root.
    await execa('mount', ['--bind', '/proc/1/mem', join(tree, 'd0', 'broken')]);
    try {
      await expect(rig.upload(tree)).rejects.toMatchObject({
        code: 'UPLOADER_SOURCE_UNREADABLE',
        message: expect.stringMatching(/d0\/broken|broken/),
      });
    } finally {
      await execa('umount', [join(tree, 'd0', 'broken')]);
    }
  });
});

describe('a cancelled upload', () => {
  it('ends soon, leaves no snapshot, and the repository accepts the next upload', async () => {
    const rig = await repositoryRig(server, { prefix: 'cancelled' });
    await rig.initialise();
    const tree = await emptyDirectory();
    await shell('for i in 1 2 3 4 5 6; do head -c 25000000 /dev/urandom > big$i; done', tree);
    const abort = new AbortController();
    const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
    const upload = rig.upload(tree, ({ doneBytes = 0 }) => doneBytes > 5 * MB && abort.abort(reason), abort.signal);
    await expect(upload).rejects.toBe(reason);
    const kopia = await rig.kopia();
    await kopia.connect();
    expect(JSON.parse(await kopia.run('snapshot', 'list', '--all', '--incomplete', '--json'))).toEqual([]);
    const { snapshotID } = await rig.upload(tree);
    expect(await kopia.run('snapshot', 'verify', '--verify-files-percent=100', snapshotID)).toBeDefined();
  });
});

describe('secrets', () => {
  it('are in no command line, log or remaining file, and in no file while kopia runs', async () => {
    const rig = await repositoryRig(server, { prefix: 'secrets' });
    await rig.initialise();
    const tree = await makeTree(200);
    const commandLines: string[] = [];
    const files: string[] = [];
    let looking = true;
    const lookAtProcesses = async () => {
      while (looking) {
        for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
          const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
          if (line.includes('snapshot\0create')) commandLines.push(line);
        }
      }
    };
    const lookAtFiles = async () => {
      while (looking) {
        const found = await filesBelow(rig.workDirectory).catch(() => new Map<string, string>());
        for (const [path, content] of found) files.push(`${path}: ${content}`);
      }
    };
    const hasSeenBoth = () => commandLines.length > 0 && files.some((file) => file.includes('repo-abcdef01-uid.conf'));
    const upload = async () => {
      // On a busy machine a process may have ended before it was read.
      for (let uploads = 0; uploads < 10 && !hasSeenBoth(); uploads++) await rig.upload(tree);
    };
    await Promise.all([
      upload().finally(() => {
        looking = false;
      }),
      lookAtProcesses(),
      lookAtFiles(),
    ]);
    expect(hasSeenBoth()).toBe(true);
    const all = [...commandLines, ...files, JSON.stringify(rig.log.lines)].join('\n');
    for (const secret of secrets) expect(all.includes(secret)).toBe(false);
    expect(await readdir(join(rig.workDirectory, 'udmrepo'))).toEqual([]);
    await rm(rig.workDirectory, { recursive: true });
  });
});
