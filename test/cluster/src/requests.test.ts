import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type Backup,
  backupType,
  type DownloadRequest,
  downloadRequestType,
  type Restore,
  restoreType,
} from '@lateen/api-types';
import { readArchive } from '@lateen/archive';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { KubeObject, ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { S3Store } from '@lateen/object-store-s3';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from './environment/bucket-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

/**
 * Files of a backup as Velero stores them, fetched with signed links to a real S3 server that the running controller has created: what the
 * commands `logs`, `download` and `version` of any client need.
 */
const root = join(import.meta.dirname, '..', '..', '..');
const name = `requests-${systemRandom.suffix(5)}`;
const log = 'time="2026-01-02T03:04:05Z" level=info msg="Backup done"\n';
const contents = gzipSync('a tar');

let lateen: LateenUnderTest;
let store: S3Store;
let directory: string;

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('requests of clients', () => {
  beforeAll(async () => {
    lateen = await lateenUnderTest();
    directory = await mkdtemp(join(tmpdir(), 'lateen-requests-'));
    store = bucketOf(lateen);
    await store.put(`backups/${name}/${name}-logs.gz`, gzipSync(log));
    await store.put(`backups/${name}/${name}.tar.gz`, contents);
    await create<Backup>(backupType, {
      ...named('Backup'),
      spec: { storageLocation: 'default' },
      status: { phase: 'Completed' },
    });
    await create<Restore>(restoreType, {
      ...named('Restore'),
      spec: { backupName: name },
      status: { phase: 'PartiallyFailed' },
    });
  });

  afterAll(async () => {
    await lateen.kube.delete(restoreType, key());
    await lateen.kube.delete(backupType, key());
    for (const file of [`${name}-logs.gz`, `${name}.tar.gz`]) await store.delete(`backups/${name}/${file}`);
    await store.close();
    await rm(directory, { recursive: true });
    await lateen.kube.close();
  });

  const key = () => ({ namespace: lateen.veleroNamespace, name });
  const named = (kind: string) => ({ apiVersion: 'velero.io/v1', kind, metadata: key() });
  const create = <T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>) =>
    lateen.kube.create<T>(type, object, { namespace: lateen.veleroNamespace });

  const cli = async (...words: string[]) => {
    const flags = ['--kubeconfig', lateen.kubeconfig, '-n', lateen.veleroNamespace];
    const program = [join(root, 'apps/cli/src/main.ts'), ...flags, ...words];
    const { exitCode, stdout, stderr } = await execa(process.execPath, program, { reject: false });
    return { exitCode, stdout, stderr };
  };

  it('a log is printed as it was written', async () => {
    expect(await cli('backup', 'logs', name)).toEqual({ exitCode: 0, stdout: log.trimEnd(), stderr: '' });
  });

  it('the contents are saved as they are stored', async () => {
    const path = join(directory, 'contents.tar.gz');
    expect(await cli('backup', 'download', name, '-o', path)).toMatchObject({
      exitCode: 0,
      stdout: `Backup ${name} has been successfully downloaded to ${path}`,
    });
    expect(await readFile(path)).toEqual(contents);
  });

  it('a missing file is reported as not found', async () => {
    expect(await cli('restore', 'logs', name)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'An error occurred: file not found',
    });
  });

  it('the link needs no credentials, is valid for ten minutes, and is in no log', async () => {
    const request = await create<DownloadRequest>(downloadRequestType, {
      ...named('DownloadRequest'),
      spec: { target: { kind: 'BackupContents', name } },
    });
    const answered = await waitForObject<DownloadRequest, DownloadRequest>({
      api: lateen.kube,
      type: downloadRequestType,
      key: key(),
      clock: systemClock,
      signal: systemClock.deadline(30_000),
      until: (seen) => (seen?.status?.phase === 'Processed' ? seen : undefined),
    });
    const url = new URL(answered.status?.downloadURL ?? '');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('600');
    const answer = await fetch(url);
    expect([answer.status, Buffer.from(await answer.arrayBuffer())]).toEqual([200, contents]);
    url.searchParams.set('X-Amz-Expires', '6000');
    expect((await fetch(url)).status).toBe(403);
    await lateen.kube.delete(downloadRequestType, key(), { preconditions: { uid: request.metadata.uid ?? '' } });
    const said = await controllerLog();
    expect(said).toContain('a download request is answered');
    expect(said).not.toContain(url.searchParams.get('X-Amz-Signature'));
    expect(said).not.toContain(lateen.cluster?.s3.secretKey);
  });

  it('a support bundle has log, description, objects and logs of pods, and no key of the bucket', async () => {
    const path = join(directory, 'bundle.tar.gz');
    const { exitCode, stdout, stderr } = await cli('debug', '--backup', name, '--output', path);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`Bundle written to ${path}: `);
    const files = new Map<string, string>();
    for await (const entry of readArchive(createReadStream(path)))
      files.set(entry.path, Buffer.from(entry.body).toString());
    expect(files.get(`bundle/backups/${name}/log.txt`)).toBe(log);
    expect(files.get(`bundle/backups/${name}/describe.txt`)).toMatch(new RegExp(`^Name: +${name}$`, 'm'));
    expect(files.get(`bundle/objects/${lateen.veleroNamespace}/backups.velero.io.json`)).toContain(name);
    expect([...files.keys()].filter((file) => /\/logs\/.*\/lateen-controller-[^/]+\/.*\.log$/.test(file))).not.toEqual(
      [],
    );
    const { secretKey = '' } = lateen.cluster?.s3 ?? {};
    expect(secretKey).not.toBe('');
    for (const [file, text] of files) expect(text.includes(secretKey), file).toBe(false);
  });

  it('the server has a version that clients of Velero accept', async () => {
    const { stdout } = await cli('version');
    expect(stdout).toMatch(/Server:\n\tVersion: v1\.18\.0\+lateen\.\d+\.\d+\.\d+$/);
    expect((await cli('plugin', 'get')).stdout).toMatch(/velero\.io\/aws +ObjectStore/);
  });
});

/** Logs of all replicas, because any of them may be the leader. */
async function controllerLog(): Promise<string> {
  const flags = ['--kubeconfig', lateen.kubeconfig, '-n', lateen.veleroNamespace];
  const words = ['logs', 'deployment/lateen-controller', '--all-pods', '--tail=5000'];
  return (await execa(lateen.kubectl, [...flags, ...words])).stdout;
}
