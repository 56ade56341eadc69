import {
  type Backup,
  type DownloadRequest,
  type DownloadTarget,
  downloadRequestType,
  type KubeObject,
  type Restore,
  type ServerStatusRequest,
} from '@lateen/api-types';
import type { SignedUrlOptions } from '@lateen/object-store';
import { builtInPlugins, runRequestControllers, serverVersion } from '@lateen/requests';
import type { StoreLocation } from '@lateen/storage-location';
import {
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  type FakeCluster,
  type FakeClusterOptions,
  fakeCluster,
  type RecordingLog,
  recordingLog,
  seededRandom,
} from '@lateen/testing';

export const namespace = 'velero';

/** Secrets of these tests; none may appear in any log or Event. */
export const secrets = { accessKey: 'SECRETACCESSKEY', signature: 'SECRETSIGNATURE' } as const;

export const cloudCredentials = () =>
  aSecret({
    name: 'cloud-credentials',
    namespace,
    values: { cloud: `[default]\naws_access_key_id=A\naws_secret_access_key=${secrets.accessKey}\n` },
  });

export const aBackup = (name = 'nightly', spec: Partial<Backup['spec']> = {}): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace },
  spec: { storageLocation: 'default', ...spec },
});

export const aRestore = (name = 'back', spec: Partial<Restore['spec']> = {}): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name, namespace },
  spec: { backupName: 'nightly', ...spec },
});

export const aDownloadRequest = (name: string, target: DownloadTarget): DownloadRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'DownloadRequest',
  metadata: { name, namespace },
  spec: { target },
});

export const aServerStatusRequest = (name: string): ServerStatusRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'ServerStatusRequest',
  metadata: { name, namespace },
  spec: {},
});

export interface RequestWorldOptions {
  objects?: readonly KubeObject[];
  /** Replaces the default link, which is made of location and key. */
  sign?: (location: StoreLocation, key: string, options: SignedUrlOptions) => Promise<string>;
}

export const urlOf = ({ bucket }: StoreLocation, key: string): string =>
  `http://s3.test:9000/${bucket}/${key}?X-Amz-Signature=${secrets.signature}`;

/** Both controllers on a cluster in memory, with a store that only signs. */
export class RequestWorld {
  readonly clock = new FakeClock();
  readonly cluster: FakeCluster;
  readonly log: RecordingLog = recordingLog();
  readonly counts = { opened: 0, closed: 0 };
  readonly ttls: number[] = [];
  readonly #stop = new AbortController();
  readonly #options: RequestWorldOptions;
  readonly #runs: Promise<void>[] = [];

  constructor(options: RequestWorldOptions = {}) {
    this.#options = options;
    const objects = options.objects ?? [cloudCredentials(), aBackupStorageLocation(), aBackup(), aRestore()];
    this.cluster = fakeCluster({ clock: this.clock, objects } satisfies FakeClusterOptions);
  }

  /** Starts another process, as a new leader. */
  start(): { stop: () => Promise<void> } {
    const stop = new AbortController();
    const run = runRequestControllers(
      {
        kube: this.cluster,
        namespace,
        listAccountKey: async () => undefined,
        openStore: (location) => this.#storeOf(location),
        server: { version: serverVersion('9.9.9'), plugins: builtInPlugins },
        identity: 'controller-1',
        clock: this.clock,
        random: seededRandom(5),
        log: this.log,
      },
      AbortSignal.any([stop.signal, this.#stop.signal]),
    );
    this.#runs.push(run);
    return {
      stop: async () => {
        stop.abort(new Error('stop'));
        await run;
      },
    };
  }

  async ask(name: string, target: DownloadTarget): Promise<DownloadRequest | undefined> {
    await this.cluster.create(downloadRequestType, aDownloadRequest(name, target));
    await this.cluster.settle();
    return this.download(name);
  }

  download(name: string): DownloadRequest | undefined {
    return this.cluster.find(downloadRequestType, { namespace, name });
  }

  async end(): Promise<void> {
    this.#stop.abort(new Error('the test is over'));
    await Promise.all(this.#runs);
  }

  #storeOf(location: StoreLocation) {
    const refuse = () => Promise.reject(new Error('only links are made here'));
    this.counts.opened += 1;
    return {
      signedUrl: async (key: string, options: SignedUrlOptions) => {
        this.ttls.push(options.ttlMs);
        return await (this.#options.sign?.(location, key, options) ?? Promise.resolve(urlOf(location, key)));
      },
      close: async () => {
        this.counts.closed += 1;
      },
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
}
