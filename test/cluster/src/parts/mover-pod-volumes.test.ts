import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodVolumeBackup, PodVolumeRestore } from '@lateen/api-types';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runMover } from '../repository/mover-process.ts';
import { repositoryRig, testPassword } from '../repository/repository-rig.ts';
import { resticRig } from '../repository/restic-rig.ts';
import { type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const isRoot = process.getuid?.() === 0;
const restoreUid = '11111111-2222-4333-8444-555555555555';
const pod = { kind: 'Pod', namespace: 'shop', name: 'db-0', uid: 'pod-uid' };
const source = 'snapshot-pod-volume/kopia/shop/db-0/data-db-0';

let server: S3Server;
let kopia: Awaited<ReturnType<typeof repositoryRig>>;
let restic: Awaited<ReturnType<typeof resticRig>>;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
  kopia = await repositoryRig(server);
  restic = await resticRig(server);
  await kopia.initialise();
  await restic.initialise();
}, setUpMs);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const metadata = (name: string) => ({ name, namespace: 'velero', uid: `uid-of-${name}` });
const common = { pod, volume: 'data', backupStorageLocation: 'default', repoIdentifier: '' };

const aBackup = (spec: Partial<PodVolumeBackup['spec']> = {}): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: { ...metadata('pvb'), annotations: { 'velero.io/pvc-name': 'data-db-0' } },
  spec: { ...common, node: 'node-1', uploaderType: 'kopia', tags: { backup: 'b' }, ...spec },
  status: { phase: 'InProgress' },
});

const aRestore = (spec: Partial<PodVolumeRestore['spec']>): PodVolumeRestore => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeRestore',
  metadata: {
    ...metadata('pvr'),
    ownerReferences: [{ apiVersion: 'velero.io/v1', kind: 'Restore', name: 'r', uid: restoreUid, controller: true }],
  },
  spec: { ...common, snapshotID: '', sourceNamespace: 'shop', uploaderType: 'kopia', ...spec },
  status: { phase: 'InProgress' },
});

/** What engines store, and what attribute manifests add: hard links, pipes, attributes, a name that is not UTF-8, a broken link. */
const content = `mkdir d; head -c 3000000 /dev/urandom > d/big; ln d/big hard; mkfifo pipe; ln -s d/big link; chmod 4750 d
  printf x > attributed; setfattr -n user.lateen -v kept attributed; chown 12:34 attributed d; chmod 1751 .
  ln -s nowhere dangling; touch -d '2001-02-03 04:05:06.789' d/old; printf y > "$(printf 'no-\\377-text')"`;
const look = `find . -printf '%p %y %m %U:%G %n %l\\n' | sort; getfattr -R -P -h -d .
  find . -type f -print0 | sort -z | xargs -0 sha256sum`;
const inVolume = async (cwd: string, script: string) =>
  (await execa('/bin/sh', ['-euc', script], { cwd, encoding: 'latin1' })).stdout;

describe.skipIf(!isRoot)('the data mover of volumes of pods', () => {
  let [from, to] = ['', ''];
  beforeEach(async () => {
    from = await mkdtemp(join(server.directory, 'from-'));
    to = await mkdtemp(join(server.directory, 'to-'));
    for (const volume of [from, to]) await execa('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'lateen-test', volume]);
  });
  afterEach(async () => {
    for (const volume of [from, to]) await execa('umount', [volume]);
  });

  async function backedUp(given: Partial<PodVolumeBackup['spec']> = {}, enginePath?: string) {
    const engine = given.uploaderType === 'restic' ? 'restic' : 'kopia';
    const run = await runMover(server, {
      movement: aBackup(given),
      engine,
      volumePath: from,
      ...(enginePath === undefined ? {} : { enginePath }),
    });
    expect(run.exitCode, run.log).toBe(0);
    return { ...run, result: JSON.parse(run.message) };
  }

  async function restored(spec: Partial<PodVolumeRestore['spec']>) {
    const engine = spec.uploaderType === 'restic' ? 'restic' : 'kopia';
    const run = await runMover(server, { movement: aRestore(spec), engine, volumePath: to });
    expect(run.exitCode, run.log).toBe(0);
    return run;
  }

  it.each(['kopia', 'restic'] as const)(
    'back up one with %s, and restore it completely, with the mark for its pod',
    async (type) => {
      await inVolume(from, content);
      const backup = await backedUp({ uploaderType: type });
      expect(backup.result.warning).toBeUndefined();
      const restore = await restored({ uploaderType: type, snapshotID: backup.result.snapshotID });
      expect(await readdir(join(to, '.velero'))).toEqual([restoreUid]);
      expect(await readFile(join(to, '.velero', restoreUid), 'utf8')).toBe('');
      // As the init container of the pod does.
      await rm(join(to, '.velero'), { recursive: true });
      expect(await inVolume(to, look)).toBe(await inVolume(from, look));
      for (const secret of [testPassword, s3Keys.secretAccessKey])
        expect(backup.log + restore.log).not.toContain(secret);
    },
  );

  it('continue from the last snapshot of the same claim, also from one that Velero made', async () => {
    const cli = await kopia.kopia();
    await cli.connect();
    await inVolume(from, 'head -c 5000000 /dev/urandom > a; echo x > b');
    // Velero's tags differ; kopia finds the parent by its source.
    await cli.run('snapshot', 'create', from, `--override-source=default@default:${source}`, '--no-auto-maintenance');
    await inVolume(from, 'echo changed > b');
    const { result } = await backedUp();
    expect(result.incrementalBytes).toBeLessThan(1_000);
    expect(result.totalBytes).toBeGreaterThan(5_000_000);
    const listed: { id: string; pins?: string[]; tags?: object }[] = JSON.parse(
      await cli.run('snapshot', 'list', `default@default:${source}`, '--json'),
    );
    expect(listed.find(({ id }) => id === result.snapshotID)).toMatchObject({ pins: ['velero-pin'] });
    await writeFile(join(from, 'b'), 'again');
    expect((await backedUp()).result.incrementalBytes).toBeLessThan(1_000);
  });

  it('restore what versions before 1.17 stored under another source', async () => {
    const cli = await kopia.kopia();
    await cli.connect();
    await inVolume(from, 'echo old > file');
    const old = 'pod-volume-backup-restore/kopia/shop/db-0/data';
    const made = await cli.run('snapshot', 'create', from, `--override-source=default@default:${old}`, '--json');
    await restored({ snapshotID: JSON.parse(made).id });
    expect(await readFile(join(to, 'file'), 'utf8')).toBe('old\n');
  });

  it.each([
    ['its type', { uploaderType: 'restic' as const, repoIdentifier: '' }],
    [
      'an address, as the oldest wrote it',
      { uploaderType: '' as const, repoIdentifier: 's3:http://elsewhere/b/restic/shop' },
    ],
  ])('restore a restic snapshot of an older version of Velero, identified by %s', async (_, spec) => {
    await inVolume(from, 'mkdir d; echo kept > d/file; ln -s d/file link');
    const tags = ['--tag', 'backup=b', '--tag', 'pod=db-0', '--tag', 'volume=data', '--tag', 'ns=shop'];
    // restic ran in the volume, and Velero recorded the short ID.
    const made = await restic.resticIn(from, 'backup', '.', '--host=velero', '--json', ...tags);
    const { snapshot_id: id } = JSON.parse(made.trim().split('\n').at(-1) ?? '');
    const run = await runMover(server, {
      movement: aRestore({ ...spec, snapshotID: id }),
      engine: 'restic',
      volumePath: to,
    });
    expect(run.exitCode, run.log).toBe(0);
    expect(await inVolume(to, 'cat d/file; readlink link')).toBe('kept\nd/file');
    expect(await readdir(join(to, '.velero'))).toEqual([restoreUid]);
    if (spec.repoIdentifier !== '') expect(run.log).toContain('the snapshot was made at another address');
  });

  it('back up an empty volume, and mark it after the restore', async () => {
    const { result } = await backedUp();
    expect(result).toMatchObject({ totalBytes: 0, emptySnapshot: false });
    await restored({ snapshotID: result.snapshotID });
    expect(await readdir(to)).toEqual(['.velero']);
  });

  it('write nothing into a volume that already has the mark of the restore', async () => {
    await inVolume(from, 'echo x > file');
    const { result } = await backedUp();
    await mkdir(join(to, '.velero'));
    await writeFile(join(to, '.velero', restoreUid), '');
    await restored({ snapshotID: result.snapshotID, snapshotSize: 2 });
    expect(await readdir(to)).toEqual(['.velero']);
  });

  it('continue when files vanish while they are read, and name them; each later change is reported', async (context) => {
    const strace = await execa('strace', ['--version']).catch(() => undefined);
    if (strace === undefined)
      return context.skip('strace plays the file system that has lost a file between two looks');
    await inVolume(from, 'mkdir d; for i in 1 2 3; do echo $i > d/f$i; done; echo stays > stays');
    const engine = join(server.directory, 'kopia-where-files-vanish');
    const lost = ['f1', 'f3'].map((name) => `-P ${join(from, 'd', name)}`).join(' ');
    const inject = '-e trace=openat -e inject=openat:error=ENOENT';
    const script = `#!/bin/sh\ncase "$*" in *"snapshot create"*) sleep 0.1; echo more >> ${join(from, 'stays')};; esac
exec strace -f -qq -o /dev/null ${lost} ${inject} ${server.kopia} "$@"\n`;
    await writeFile(engine, script);
    await chmod(engine, 0o755);
    const { result, events } = await backedUp({}, engine);
    expect(result.warning).toMatch(
      /^2 files vanished while the volume was read \(d\/f[13], d\/f[13]\); 1 file changed while the volume was read \(stays\)$/,
    );
    expect(events.map(({ reason }) => reason)).toContain('Data-Path-Warning');
    await restored({ snapshotID: result.snapshotID });
    expect((await readdir(join(to, 'd'))).toSorted()).toEqual(['f2']);
  });

  it('reject a block device', async () => {
    const device = join(from, 'device');
    await execa('mknod', [device, 'b', '7', '99']);
    const run = await runMover(server, { movement: aBackup(), engine: 'kopia', volumePath: device });
    expect([run.exitCode, run.message]).toEqual([1, expect.stringMatching(/device is not a directory/)]);
    await rm(device);
  });
});
