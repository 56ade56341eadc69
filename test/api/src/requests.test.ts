import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type Backup,
  backupStorageLocationType,
  backupType,
  type DownloadRequest,
  type DownloadTargetKind,
  downloadRequestType,
  downloadTargetKinds,
  eventType,
  type Restore,
  restoreType,
  type Secret,
  type ServerStatusRequest,
  secretType,
  serverStatusRequestType,
} from '@lateen/api-types';
import type { KubeObject, ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { builtInPlugins, runRequestControllers, serverVersion } from '@lateen/requests';
import { aBackupStorageLocation, recordingLog } from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyDefinitions, untilServed } from './apply-definitions.ts';
import { base, describeWithApiServer } from './with-api-server.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const kinds = [backupType, restoreType, backupStorageLocationType, downloadRequestType, serverStatusRequestType];
const signature = 'SECRETSIGNATURE';
const past = '2020-01-01T00:00:00Z';

await describeWithApiServer('requests of clients on a real kube-apiserver', (under) => {
  const log = recordingLog();
  const stop = new AbortController();
  const store = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/p/backups/nightly/nightly-logs.gz') response.end(gzipSync('the log\n'));
    else response.writeHead(404).end();
  });
  let namespace = '';
  let running: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube);
    await Promise.all(kinds.map((kind) => untilServed(under.kube, kind)));
    await new Promise<void>((done) => store.listen(0, '127.0.0.1', done));
    await create(secretType, {
      data: { cloud: Buffer.from('[default]\naws_access_key_id=A\naws_secret_access_key=S\n').toString('base64') },
      ...named('v1', 'Secret', 'cloud-credentials'),
    } as Secret);
    const location = aBackupStorageLocation({ namespace, spec: { objectStorage: { bucket: 'b', prefix: 'p' } } });
    await create(backupStorageLocationType, { ...location, metadata: { name: 'default', namespace } });
    await create<Backup>(backupType, {
      ...named('velero.io/v1', 'Backup', 'nightly'),
      spec: { storageLocation: 'default' },
      status: { phase: 'Completed' },
    });
    await create<Restore>(restoreType, {
      ...named('velero.io/v1', 'Restore', 'back'),
      spec: { backupName: 'nightly' },
    });
    running = runRequestControllers(
      {
        ...base,
        kube: under.kube,
        namespace,
        identity: 'controller-1',
        server: { version: serverVersion('9.9.9'), plugins: builtInPlugins },
        listAccountKey: async () => undefined,
        openStore: () => signingStore((store.address() as AddressInfo).port),
        log,
      },
      stop.signal,
    );
  }, 120_000);

  afterAll(async () => {
    stop.abort(new Error('the tests are over'));
    await running;
    store.close();
  });

  const named = (apiVersion: string, kind: string, name: string) => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
  });
  const create = <T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>) =>
    under.kube.create<T>(type, object, { namespace });

  const settledRequest = (name: string) =>
    waitForObject<DownloadRequest, DownloadRequest>({
      ...base,
      api: under.kube,
      type: downloadRequestType,
      key: { namespace, name },
      signal: base.clock.deadline(20_000),
      until: (seen) => (seen?.status?.phase === 'Processed' ? seen : undefined),
    });

  const goneSoon = (type: ResourceType<KubeObject>, name: string) =>
    waitForObject<KubeObject, true>({
      ...base,
      api: under.kube,
      type,
      key: { namespace, name },
      signal: base.clock.deadline(20_000),
      until: (seen) => (seen === undefined ? true : undefined),
    });

  it('every kind of file is answered with a link, in the status that the definitions have', async () => {
    for (const kind of downloadTargetKinds) {
      const name = `all-${kind.toLowerCase()}`;
      const target = { kind: kind as DownloadTargetKind, name: kind.startsWith('Restore') ? 'back' : 'nightly' };
      await create<DownloadRequest>(downloadRequestType, {
        ...named('velero.io/v1', 'DownloadRequest', name),
        spec: { target },
      });
    }
    for (const kind of downloadTargetKinds) {
      const { status } = await settledRequest(`all-${kind.toLowerCase()}`);
      expect(status?.downloadURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/p\/(backups\/nightly|restores\/back)\//);
      expect(Date.parse(status?.expiration ?? '')).toBeGreaterThan(base.clock.now());
    }
  });

  it('a request that cannot be answered gets an Event with the reason', async () => {
    const { metadata } = await create<DownloadRequest>(downloadRequestType, {
      ...named('velero.io/v1', 'DownloadRequest', 'hopeless'),
      spec: { target: { kind: 'BackupLog', name: 'gone' } },
    });
    expect((await settledRequest('hopeless')).status?.downloadURL).toBeUndefined();
    const events = await under.kube.list(eventType, { namespace, fieldSelector: `involvedObject.uid=${metadata.uid}` });
    expect(events.items).toMatchObject([
      { type: 'Warning', message: expect.stringContaining(`Backup ${namespace}/gone does not exist`) },
    ]);
  });

  it('version and plugins are returned', async () => {
    const { metadata } = await under.kube.create<ServerStatusRequest>(serverStatusRequestType, {
      apiVersion: 'velero.io/v1',
      kind: 'ServerStatusRequest',
      metadata: { generateName: 'velero-cli-', namespace },
      spec: {},
    });
    const answered = await waitForObject<ServerStatusRequest, ServerStatusRequest>({
      ...base,
      api: under.kube,
      type: serverStatusRequestType,
      key: { namespace, name: metadata.name ?? '' },
      signal: base.clock.deadline(20_000),
      until: (seen) => (seen?.status?.phase === 'Processed' ? seen : undefined),
    });
    expect(answered.status).toMatchObject({ serverVersion: 'v1.18.0+lateen.9.9.9', plugins: builtInPlugins });
  });

  it('an answered request is deleted after its time', async () => {
    await create<DownloadRequest>(downloadRequestType, {
      ...named('velero.io/v1', 'DownloadRequest', 'old'),
      spec: { target: { kind: 'BackupLog', name: 'nightly' } },
      status: { phase: 'Processed', downloadURL: 'http://x', expiration: past },
    });
    await create<ServerStatusRequest>(serverStatusRequestType, {
      ...named('velero.io/v1', 'ServerStatusRequest', 'old'),
      spec: {},
      status: { phase: 'Processed', processedTimestamp: past },
    });
    await goneSoon(downloadRequestType, 'old');
    await goneSoon(serverStatusRequestType, 'old');
  });

  it('the command line prints a log, and reports what is missing; the link is in no log and no output', async () => {
    const lateen = (...words: string[]) =>
      execa(
        process.execPath,
        [join(root, 'apps/cli/src/main.ts'), '--kubeconfig', under.server.kubeconfig, '-n', namespace, ...words],
        { reject: false },
      );
    const logs = await lateen('backup', 'logs', 'nightly');
    expect([logs.exitCode, logs.stdout, logs.stderr]).toEqual([0, 'the log', '']);
    const other = await lateen('backup', 'logs', 'gone');
    expect([other.exitCode, other.stdout, other.stderr]).toEqual([
      1,
      '',
      'An error occurred: backup "gone" does not exist',
    ]);
    const missing = await lateen('backup', 'download', 'nightly', '-o', '/dev/null/no');
    expect(missing.exitCode).toBe(1);
    const { items } = await under.kube.list(downloadRequestType, { namespace });
    expect(items.filter(({ metadata }) => metadata.name?.startsWith('nightly-'))).toEqual([]);
    const events = await under.kube.list(eventType, { namespace });
    expect(JSON.stringify([log.lines, events.items, logs, other, missing])).not.toContain(signature);
  });
});

/** A store that only signs links. */
function signingStore(port: number) {
  const refuse = () => Promise.reject(new Error('only links are made here'));
  return {
    signedUrl: async (key: string) => `http://127.0.0.1:${port}/${key}?X-Amz-Signature=${signature}`,
    close: async () => {},
    listCommonPrefixes: refuse,
    list: async function* () {},
    exists: refuse,
    get: refuse,
    put: refuse,
    read: async function* () {},
    write: refuse,
    endAbandonedWrites: refuse,
    delete: refuse,
  };
}
