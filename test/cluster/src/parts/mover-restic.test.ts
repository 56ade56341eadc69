import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventType, type KubeObject, repositoryCredentials } from '@lateen/api-types';
import { systemClock, systemRandom } from '@lateen/kernel';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aDataDownload,
  aDataUpload,
  aSecret,
  fakeCluster,
  serveFakeCluster,
  testCertificates,
} from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPassword } from '../repository/repository-rig.ts';
import { resticRig } from '../repository/restic-rig.ts';
import { type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const isRoot = process.getuid?.() === 0;
const namespace = 'velero';
const main = join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'data-mover', 'src', 'main.ts');

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, setUpMs);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** What the mover finds in the API: its own object, the location, the Secrets, and a restic repository that is ready. */
function objectsFor(movement: KubeObject): KubeObject[] {
  const { accessKeyId, secretAccessKey } = s3Keys;
  const cloud = `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`;
  const labels = {
    'velero.io/volume-namespace': 'shop',
    'velero.io/storage-location': 'default',
    'velero.io/repository-type': 'restic',
  };
  return [
    movement,
    aBackupStorageLocation({
      spec: { config: { region: 'us-east-1', s3Url: `http://${server.endpoint}`, s3ForcePathStyle: 'true' } },
    }),
    aSecret({ name: 'cloud-credentials', values: { cloud } }),
    aSecret({ name: repositoryCredentials.name, values: { [repositoryCredentials.key]: testPassword } }),
    aBackupRepository({
      name: 'shop-default-restic',
      labels,
      spec: { volumeNamespace: 'shop', repositoryType: 'restic' },
    }),
  ];
}

/** Runs `data-mover` as its pod does, against an API server in memory. Resolves with its termination message. */
async function runMover(verb: 'backup' | 'restore', movement: KubeObject, volumePath: string) {
  const directory = await mkdtemp(join(server.directory, 'mover-'));
  const cluster = fakeCluster({ clock: systemClock, random: systemRandom, objects: objectsFor(movement) });
  const api = await serveFakeCluster(cluster, { tls: testCertificates().server });
  const account = join(directory, 'account');
  await mkdir(account);
  await writeFile(join(account, 'ca.crt'), testCertificates().ca);
  await writeFile(join(account, 'token'), 'token');
  await writeFile(join(account, 'namespace'), namespace);
  const object = verb === 'backup' ? '--data-upload' : '--data-download';
  const flags = [`--volume-path=${volumePath}`, '--volume-mode=Filesystem', `${object}=${movement.metadata.name}`];
  const child = spawn(process.execPath, [main, verb, ...flags, '--resource-timeout=1m', '--log-format=json'], {
    env: {
      PATH: process.env.PATH,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(api.port),
      LATEEN_SERVICE_ACCOUNT: account,
      LATEEN_TERMINATION_LOG: join(directory, 'termination-log'),
      VELERO_NAMESPACE: namespace,
      VELERO_SCRATCH_DIR: join(directory, 'scratch'),
      NODE_NAME: 'node-1',
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const [exitCode] = await once(child, 'close');
  const reasons = cluster.all(eventType).map(({ reason }) => reason);
  await api.close();
  return { exitCode, log, reasons, message: await readFile(join(directory, 'termination-log'), 'utf8') };
}

/** Everything that restic keeps and kopia alone does not, beside the usual. */
const content = `mkdir d; head -c 3000000 /dev/urandom > d/big; ln d/big hard; mkfifo pipe; ln -s d/big link; chmod 4750 d
  printf x > attributed; setfattr -n user.lateen -v kept attributed; chown 12:34 attributed d; chmod 1751 .`;
const look = `find . -printf '%p %y %m %U:%G %n %l\\n' | sort; getfattr -R -d . ; find . -type f -print0 | sort -z | xargs -0 sha256sum`;
const inVolume = async (cwd: string, script: string) => (await execa('/bin/sh', ['-euc', script], { cwd })).stdout;

describe.skipIf(!isRoot)('the data mover with UploaderType restic', () => {
  it('stores a volume and gives it back whole, as a process of its own', async () => {
    await (await resticRig(server)).initialise();
    const volumes = await Promise.all(['a', 'b'].map((name) => mkdtemp(join(server.directory, `${name}-`))));
    const [from = '', to = ''] = volumes;
    for (const volume of volumes) await execa('mount', ['-t', 'tmpfs', '-o', 'size=50m', 'lateen-test', volume]);
    try {
      await inVolume(from, content);
      const common = { backupStorageLocation: 'default', sourceNamespace: 'shop' };
      const dataMoverConfig = { UploaderType: 'restic' };
      const backup = await runMover(
        'backup',
        aDataUpload({ name: 'du', phase: 'InProgress', spec: { ...common, sourcePVC: 'data', dataMoverConfig } }),
        from,
      );
      expect([backup.exitCode, backup.reasons.at(-1)], backup.log).toEqual([0, 'Data-Path-Stopped']);
      const { snapshotID, totalBytes } = JSON.parse(backup.message);
      expect(snapshotID).toMatch(/^[0-9a-f]{64}$/);
      const restore = await runMover(
        'restore',
        aDataDownload({ name: 'dd', phase: 'InProgress', spec: { ...common, snapshotID, dataMoverConfig } }),
        to,
      );
      expect(restore.exitCode, restore.log).toBe(0);
      expect(JSON.parse(restore.message)).toMatchObject({ totalBytes: expect.any(Number) });
      expect(totalBytes).toBeGreaterThan(3_000_000);
      expect(await inVolume(to, look)).toBe(await inVolume(from, look));
      for (const secret of [testPassword, s3Keys.secretAccessKey])
        expect(backup.log + restore.log).not.toContain(secret);
    } finally {
      for (const volume of volumes) await execa('umount', [volume]);
    }
  });
});
