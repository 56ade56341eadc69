import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CoreEvent, dataUploadType, eventType } from '@lateen/api-types';
import { systemClock, systemRandom } from '@lateen/kernel';
import {
  aBackupRepository,
  aBackupStorageLocation,
  type FakeCluster,
  fakeCluster,
  type ServedCluster,
  serveFakeCluster,
  testCertificates,
} from '@lateen/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const namespace = 'velero';
const main = fileURLToPath(new URL('main.ts', import.meta.url));
const snapshotID = '0123456789abcdef0123456789abcdef';
/** As in the image, because half of the start time is compilation. */
let compileCache: string;
/** A generous limit, as the tests measure nothing. */
const patience = { timeout: 60_000, interval: 50 };

/**
 * A fake kopia: records each call and each SIGINT, prints progress, and saves a snapshot once the file `finish` exists. It is a
 * script and not an in-process double, so that signals and pipes are real.
 */
const engineScript = (directory: string) => `#!${process.execPath}
const fs = require('node:fs');
const note = (text) => fs.appendFileSync(${JSON.stringify(join(directory, 'calls'))}, text + '\\n');
const args = process.argv.slice(2).join(' ');
note(process.pid + ' ' + args);
if (args.includes('snapshot create')) {
  process.on('SIGINT', () => { note('SIGINT'); process.exit(1); });
  let bytes = 0;
  setInterval(() => {
    process.stderr.write(' - 1 hashing, ' + bytes + ' hashed (' + ++bytes + ' B), 0 cached (0 B), uploaded 0 B, estimated 100 B (1.0%) 1s left\\n');
    if (!fs.existsSync(${JSON.stringify(join(directory, 'finish'))})) return;
    process.stdout.write(JSON.stringify({ id: '${snapshotID}', stats: { totalSize: 100 } }));
    process.exit(0);
  }, 100);
}
`;

const aDataUpload = {
  apiVersion: 'velero.io/v2alpha1',
  kind: 'DataUpload',
  metadata: { name: 'du-1', namespace, uid: 'uid-1' },
  spec: {
    snapshotType: 'CSI',
    sourcePVC: 'data',
    sourceNamespace: 'app',
    backupStorageLocation: 'default',
    operationTimeout: '10m0s',
    dataMoverConfig: { AttributeManifest: 'false' },
  },
  status: { phase: 'InProgress' },
};
const secret = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});

/** The mover as a separate process, with the API server, the engine and the pod's files of the test. */
class Mover {
  readonly cluster: FakeCluster = fakeCluster({
    clock: systemClock,
    random: systemRandom,
    objects: [
      aDataUpload,
      aBackupStorageLocation({ spec: { credential: { name: 'cloud', key: 'cloud' } } }),
      aBackupRepository(),
      secret('cloud', { cloud: '[default]\naws_access_key_id=a\naws_secret_access_key=b\n' }),
      secret('velero-repo-credentials', { 'repository-password': 'static-passw0rd' }),
    ],
  });
  readonly #directory: string;
  #served: ServedCluster | undefined;
  #child: ChildProcessWithoutNullStreams | undefined;
  #output = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  async serve(port?: number): Promise<number> {
    const { server } = testCertificates();
    this.#served = await serveFakeCluster(this.cluster, { tls: server, ...(port === undefined ? {} : { port }) });
    return this.#served.port;
  }

  async goAway(): Promise<void> {
    await this.#served?.close();
    this.#served = undefined;
  }

  /** Both may differ from those of a hosting pod. */
  async start(port: number, other: { flags?: string[]; environment?: Record<string, string> } = {}): Promise<void> {
    const account = join(this.#directory, 'account');
    await mkdir(account);
    await writeFile(join(account, 'ca.crt'), testCertificates().ca);
    await writeFile(join(account, 'token'), 'token');
    await writeFile(join(account, 'namespace'), namespace);
    await writeFile(join(this.#directory, 'kopia'), engineScript(this.#directory), { mode: 0o755 });
    // /proc is a mount point on every machine; the engine does not read it.
    const volume = ['--volume-path=/proc', '--volume-mode=Filesystem'];
    const flags = [...volume, '--data-upload=du-1', '--resource-timeout=10m', '--log-format=json', '--log-level=debug'];
    this.#child = spawn(process.execPath, [main, ...(other.flags ?? ['backup', ...flags])], {
      env: {
        PATH: process.env.PATH,
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: String(port),
        NODE_COMPILE_CACHE: compileCache,
        LATEEN_SERVICE_ACCOUNT: account,
        LATEEN_TERMINATION_LOG: join(this.#directory, 'termination-log'),
        LATEEN_KOPIA: join(this.#directory, 'kopia'),
        LATEEN_POD_UID: 'pod-1',
        VELERO_NAMESPACE: namespace,
        VELERO_SCRATCH_DIR: join(this.#directory, 'scratch'),
        NODE_NAME: 'node-1',
        ...other.environment,
      },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString('utf8');
      });
    }
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void {
    this.#child?.kill(name);
  }

  finishEngine(): Promise<void> {
    return appendFile(join(this.#directory, 'finish'), '');
  }

  calls(): Promise<string> {
    return readFile(join(this.#directory, 'calls'), 'utf8').catch(() => '');
  }

  message(): Promise<string> {
    return readFile(join(this.#directory, 'termination-log'), 'utf8').catch(() => '');
  }

  log(): string {
    return this.#output;
  }

  events(): Record<string, { message: string; count: number; podUid: string | undefined }> {
    return Object.fromEntries(
      this.cluster
        .all<CoreEvent>(eventType)
        .map(({ reason = '', message = '', count = 0, related }) => [reason, { message, count, podUid: related?.uid }]),
    );
  }

  uploading(): Promise<void> {
    return expect.poll(() => Object.keys(this.events()), patience).toContain('Data-Path-Progress');
  }

  async exitCode(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) throw new Error('the mover was not started');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    return child.exitCode;
  }

  async end(): Promise<void> {
    if (this.#child?.exitCode === null) this.signal('SIGKILL');
    await this.goAway();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('data-mover as a process', { timeout: 120_000 }, () => {
  let directory: string;
  let mover: Mover;
  beforeAll(async () => {
    compileCache = await mkdtemp(join(tmpdir(), 'data-mover-cache-'));
  });
  afterAll(() => rm(compileCache, { recursive: true, force: true }));
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'data-mover-'));
    mover = new Mover(directory);
  });
  afterEach(async () => {
    await mover.end();
    await rm(directory, { recursive: true, force: true });
  });
  const result = {
    snapshotID,
    emptySnapshot: false,
    source: { byPath: '/proc', volumeMode: 'Filesystem' },
    totalBytes: 100,
  };

  it('uploads, reports it in Events of its pod and in the termination message, and exits with 0', async () => {
    await mover.start(await mover.serve());
    await expect.poll(() => mover.events()['Data-Path-Progress']?.count ?? 0, patience).toBeGreaterThan(2);
    await mover.finishEngine();
    expect(await mover.exitCode()).toBe(0);
    expect(JSON.parse(await mover.message())).toMatchObject(result);
    const events = mover.events();
    expect(JSON.parse(events['Data-Path-Completed']?.message ?? '')).toMatchObject(result);
    expect(Object.keys(events).toSorted()).toEqual([
      'Data-Path-Completed',
      'Data-Path-Progress',
      'Data-Path-Started',
      'Data-Path-Stopped',
    ]);
    expect(new Set(Object.values(events).map(({ podUid }) => podUid))).toEqual(new Set(['pod-1']));
    expect(mover.cluster.all(eventType)).toHaveLength(4);
  });

  it.each([
    [
      'a flag that it does not know',
      { flags: ['backup', '--volume-pth=/x'] },
      2,
      /^data-mover: unknown option '--volume-pth'\. See /,
    ],
    [
      'a flag that is missing',
      { flags: ['backup'] },
      2,
      /^data-mover: --volume-path is required\. See data-mover --help\.$/,
    ],
    [
      'no namespace',
      { environment: { VELERO_NAMESPACE: '' } },
      1,
      /^data-mover: the environment variable VELERO_NAMESPACE is not set\. The pod inherits it from the node-agent DaemonSet/,
    ],
    [
      'no service account',
      { environment: { LATEEN_SERVICE_ACCOUNT: '/nowhere' } },
      1,
      /^data-mover: .*\/nowhere.*\. \w/,
    ],
    [
      'no API server',
      { environment: { KUBERNETES_SERVICE_HOST: '' } },
      1,
      /^data-mover: .*KUBERNETES_SERVICE_HOST.*\. \w/,
    ],
  ])('given %s, reports it in its termination message', async (_, given, code, message) => {
    await mover.start(1, given);
    expect(await mover.exitCode()).toBe(code);
    expect(await mover.message()).toMatch(message);
  });

  it('prints help without a termination message', async () => {
    await mover.start(1, { flags: ['--help'] });
    expect(await mover.exitCode()).toBe(0);
    expect(await mover.message()).toBe('');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends the engine on %s, and reports what may be left', async (signal) => {
    await mover.start(await mover.serve());
    await mover.uploading();
    mover.signal(signal);
    mover.signal(signal);
    expect(await mover.exitCode()).toBe(1);
    expect(await mover.calls()).toContain('SIGINT');
    const words = `the data mover was told to stop (${signal}); the engine has ended and the repository is unlocked`;
    expect(await mover.message()).toBe(
      `Failed to run data path service for DataUpload du-1: ${words}: data path is interrupted`,
    );
    expect(mover.events()['Data-Path-Failed']?.message).toContain(words);
    expect(mover.log()).toContain('the repository is unlocked');
  });

  it('reports an interruption when its engine is killed', async () => {
    await mover.start(await mover.serve());
    await mover.uploading();
    const pid = /^(\d+) .*snapshot create/m.exec(await mover.calls())?.[1];
    process.kill(Number(pid), 'SIGKILL');
    expect(await mover.exitCode()).toBe(1);
    expect(await mover.message()).toMatch(/the engine was killed.*data path is interrupted$/s);
  });

  it('stops when its DataUpload is deleted', async () => {
    await mover.start(await mover.serve());
    await mover.uploading();
    mover.cluster.remove(dataUploadType, { namespace, name: 'du-1' });
    expect(await mover.exitCode()).toBe(1);
    expect(await mover.calls()).toContain('SIGINT');
    expect(await mover.message()).toContain('DataUpload velero/du-1 does not exist');
  });

  it('has the right message and exit code although the API server is not reachable at the end', async () => {
    await mover.start(await mover.serve());
    await mover.uploading();
    await mover.goAway();
    await mover.finishEngine();
    await expect.poll(() => mover.message(), patience).not.toBe('');
    expect(JSON.parse(await mover.message())).toMatchObject(result);
    // Its Events may still be delivered; after a SIGTERM it does not wait long for that.
    mover.signal('SIGTERM');
    expect(await mover.exitCode()).toBe(0);
    expect(JSON.parse(await mover.message())).toMatchObject(result);
    expect(mover.log()).toContain('not all events could be recorded');
  });

  it('waits for an API server that is not reachable at the start, and can be stopped meanwhile', async () => {
    const port = await freePort();
    await mover.start(port);
    await mover.finishEngine();
    await expect.poll(() => mover.log(), patience).toContain('ECONNREFUSED');
    await mover.serve(port);
    expect(await mover.exitCode()).toBe(0);

    const other = new Mover(await mkdtemp(join(directory, 'other-')));
    await other.start(await freePort());
    await expect.poll(() => other.log(), patience).toContain('ECONNREFUSED');
    other.signal('SIGTERM');
    expect(await other.exitCode()).toBe(1);
    expect(await other.message()).toMatch(/no data was moved: data path is interrupted$/);
  });
});
