import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { s3Store } from '@lateen/object-store-s3';
import { dataUploadSource } from '@lateen/repository';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, testPassword } from '../repository/repository-rig.ts';
import { resticRig } from '../repository/restic-rig.ts';
import { type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const secrets = [testPassword, s3Keys.secretAccessKey, s3Keys.accessKeyId];

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, setUpMs);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

type Rig = Awaited<ReturnType<typeof resticRig>>;

const request = (volumePath: string, signal = new AbortController().signal) => ({
  volumePath,
  volumeMode: 'Filesystem' as const,
  source: dataUploadSource('shop', 'data', 'op-1', 'restic'),
  config: {},
  signal,
});
const upload = (rig: Rig, volumePath: string, signal?: AbortSignal, onProgress = (_: { doneBytes?: number }) => {}) =>
  rig.use((uploader) => uploader.upload({ ...request(volumePath, signal), onProgress }));

const directory = (name: string) => mkdtemp(join(server.directory, `${name}-`));

async function volumeWith(script: string): Promise<string> {
  const path = await directory('volume');
  await execa('/bin/sh', ['-euc', script], { cwd: path });
  return path;
}

describe('a restic repository that we created', () => {
  it('can be used with the plain restic: host, tags, content at the root, and a restore', async () => {
    const rig = await resticRig(server, { prefix: 'interop' });
    expect(await rig.initialise()).toEqual({
      outcome: 'created',
      identifier: `s3:http://${server.endpoint}/backups/interop/restic/shop`,
    });
    expect((await rig.initialise()).outcome).toBe('opened');
    const volume = await volumeWith('mkdir d; echo hello > d/file; mkfifo pipe; ln d/file hard');
    const { snapshotID } = await upload(rig, volume);
    const [snapshot] = JSON.parse(await rig.restic('snapshots', '--json'));
    expect(snapshot).toMatchObject({
      id: snapshotID,
      hostname: 'velero',
      tags: expect.arrayContaining([
        'snapshot-requester=snapshot-data-upload-download',
        'snapshot-uploader=restic',
        'velero.io/async-operation-id=op-1',
        'snapshot-source=snapshot-data-upload-download/restic/shop/data',
      ]),
    });
    const target = await directory('target');
    await rig.restic('restore', snapshotID, '--target', target);
    expect((await readdir(target)).toSorted()).toEqual(['d', 'hard', 'pipe']);
    expect(await readFile(join(target, 'hard'), 'utf8')).toBe('hello\n');
    expect(await rig.restic('check', '--read-data')).toContain('no errors were found');
  });

  it('keeps names byte by byte, and warns of link targets that it cannot keep', async () => {
    const rig = await resticRig(server, { prefix: 'names' });
    await rig.initialise();
    const volume = await directory('volume');
    const name = (bytes: string) => Buffer.from(`${volume}/${bytes}`, 'latin1');
    for (const each of ['caf\xe8', 'caf\xe9']) await writeFile(name(each), each);
    await symlink(Buffer.from('caf\xe9', 'latin1'), name('link'));
    const warnings: string[] = [];
    const onWarning = (text: string) => void warnings.push(text);
    const { snapshotID } = await rig.use((uploader) =>
      uploader.upload({ ...request(volume), onProgress: () => {}, onWarning }),
    );
    expect(warnings).toEqual([expect.stringContaining(String.raw`"link" to "caf\xe9"`)]);
    const target = await directory('target');
    await rig.restic('restore', snapshotID, '--target', target);
    const names = (await readdir(target, { encoding: 'buffer' })).map((each) => each.toString('latin1'));
    expect(names.toSorted()).toEqual(['caf\xe8', 'caf\xe9', 'link']);
    expect(await readlink(join(target, 'link'))).toBe('caf�');
  });

  it('has each snapshot as the parent of the next, although the volume is at another path each time', async () => {
    const rig = await resticRig(server, { prefix: 'parents' });
    await rig.initialise();
    const volume = await volumeWith('echo one > a');
    const first = await upload(rig, volume);
    const clone = await directory('clone');
    await execa('cp', ['-a', `${volume}/.`, clone]);
    const second = await upload(rig, clone);
    const snapshots: { id: string; parent?: string }[] = JSON.parse(await rig.restic('snapshots', '--json'));
    expect(snapshots.find(({ id }) => id === second.snapshotID)?.parent).toBe(first.snapshotID);
  });
});

describe('a restic repository that another program created', () => {
  it('can be opened when it was created by the plain restic', async () => {
    const rig = await resticRig(server, { prefix: 'adopted' });
    await rig.restic('init');
    expect((await rig.initialise()).outcome).toBe('opened');
    expect((await upload(rig, await volumeWith('echo x > f'))).snapshotID).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is created again when its creation was not finished, and opens', async () => {
    const rig = await resticRig(server, { prefix: 'half-made' });
    await rig.initialise();
    const store = s3Store(rig.location);
    await store.delete(`${rig.prefix}config`);
    await store.close();
    expect((await rig.initialise()).outcome).toBe('created');
    expect(await rig.keysBelow('keys')).toHaveLength(1);
    await upload(rig, await volumeWith('echo x > f'));
    expect(await rig.restic('check')).toContain('no errors were found');
  });

  it('is not overwritten: any blob under the prefix prevents the creation', async () => {
    const rig = await resticRig(server, { prefix: 'occupied' });
    const store = s3Store(rig.location);
    await store.put(`${rig.prefix}holiday.jpg`, new Uint8Array([1, 2, 3]));
    await expect(rig.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_LOCATION_NOT_EMPTY' });
    expect(await store.get(`${rig.prefix}holiday.jpg`)).toHaveLength(3);
    await store.close();
  });

  it('reports a wrong password, and a bucket that does not exist', async () => {
    const good = await resticRig(server, { prefix: 'password' });
    await good.initialise();
    const wrong = await resticRig(server, { prefix: 'password' }, 'not-the-password');
    await expect(wrong.initialise()).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
    const nowhere = await resticRig(server, { bucket: 'no-such-bucket' });
    await expect(nowhere.initialise()).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
  });
});

describe('a restic that is killed', () => {
  it('leaves no lock and no snapshot, and the next upload is complete', async () => {
    // Without a grace period: SIGKILL comes before restic can clean up.
    const rig = await resticRig(server, { prefix: 'killed' }, testPassword, 0);
    await rig.initialise();
    const volume = await volumeWith('for i in 1 2 3 4 5 6; do head -c 25000000 /dev/urandom > big$i; done');
    const abort = new AbortController();
    const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
    const stopped = upload(
      rig,
      volume,
      abort.signal,
      ({ doneBytes = 0 }) => doneBytes > 5_000_000 && abort.abort(reason),
    );
    await expect(stopped).rejects.toBe(reason);
    expect(await rig.keysBelow('locks')).toEqual([]);
    expect(await rig.keysBelow('snapshots')).toEqual([]);
    expect((await upload(rig, volume)).totalBytes).toBe(150_000_000);
  });
});

describe('secrets', () => {
  it('are in no command line, log or remaining file, and in no file while restic runs', async () => {
    const rig = await resticRig(server, { prefix: 'secrets' });
    await rig.initialise();
    const volume = await volumeWith('for i in 1 2 3 4; do head -c 25000000 /dev/urandom > big$i; done');
    await writeFile(join(volume, 'small'), 'x');
    const commandLines: string[] = [];
    const files: string[] = [];
    let looking = true;
    const moved = upload(rig, volume).finally(() => {
      looking = false;
    });
    const look = async () => {
      while (looking) {
        for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
          const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
          if (line.startsWith('restic\0')) commandLines.push(line);
        }
        const found = await filesBelow(rig.workDirectory).catch(() => new Map<string, string>());
        for (const [path, content] of found) {
          for (const secret of secrets) if (content.includes(secret)) files.push(`${path} has a secret`);
        }
      }
    };
    await Promise.all([moved, look()]);
    expect(commandLines.length).toBeGreaterThan(0);
    expect(files).toEqual([]);
    const all = [...commandLines, JSON.stringify(rig.log.lines)].join('\n');
    for (const secret of secrets) expect(all.includes(secret)).toBe(false);
    expect(await readdir(join(rig.workDirectory, 'restic'))).toEqual([]);
    await rm(rig.workDirectory, { recursive: true });
  });
});
