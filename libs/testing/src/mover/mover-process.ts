import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CoreEvent, eventType, type KubeObject, repositoryCredentials } from '@lateen/api-types';
import { systemClock, systemRandom } from '@lateen/kernel';
import { aBackupRepository, aBackupStorageLocation } from '../builders/locations.ts';
import { aSecret } from '../builders/workloads.ts';
import { fakeCluster } from '../cluster/fake-cluster.ts';
import { serveFakeCluster } from '../http/serve-fake-cluster.ts';
import { testCertificates } from '../http-faults/test-certificates.ts';

const namespace = 'velero';

/** The words of the command, and the flags that name the object; data movements have a volume mode. */
const commands = {
  DataUpload: [['backup'], '--data-upload'],
  DataDownload: [['restore'], '--data-download'],
  PodVolumeBackup: [['pod-volume', 'backup'], '--pod-volume-backup'],
  PodVolumeRestore: [['pod-volume', 'restore'], '--pod-volume-restore'],
} as const;

export interface MoverOptions {
  /** The program and its first arguments; the words of `data-mover` follow. */
  command: readonly [string, ...string[]];
  /** An object of one of the four kinds, already InProgress. */
  movement: KubeObject;
  /** Further objects in the API; see {@link moverObjects}. Not used when `api` is given. */
  objects?: readonly KubeObject[];
  /** An API server that contains everything; absent: one in memory. */
  api?: MoverApi;
  /** Volume mode of a data movement; `Filesystem` by default. */
  volumeMode?: 'Filesystem' | 'Block';
  /** Arguments after those that every pod has. */
  flags?: readonly string[];
  volumePath: string;
  /** Directory for its files: `scratch` below it is its scratch volume. Existing content is that of an earlier mover. */
  directory: string;
  /** Environment in addition to that of its pod. */
  environment: Readonly<Record<string, string>> & { PATH: string };
}

/** An API server on 127.0.0.1 for a mover. */
export interface MoverApi {
  port: number;
  /** PEM of its CA. */
  authority: string;
  /** Token of the pod's service account. */
  token: string;
  events(): Promise<readonly Pick<CoreEvent, 'reason' | 'message'>[]>;
  close(): Promise<void>;
}

export interface MoverEnd {
  /** Null when it was ended by a signal. */
  exitCode: number | null;
  log: string;
  events: { reason: string; message: string }[];
  /** Its termination message. */
  message: string;
}

/** A `data-mover` that runs as in its pod. */
export interface MoverProcess {
  pid: number;
  /** Ends it with SIGKILL. */
  kill(): void;
  ended: Promise<MoverEnd>;
}

export interface MoverPlace {
  /** `host:port` of a store without TLS. */
  endpoint: string;
  keys: { accessKeyId: string; secretAccessKey: string };
  /** Prefix of the location, in bucket `backups`. */
  prefix?: string | undefined;
  repositoryType: 'kopia' | 'restic';
  /** Password of the repository. */
  password: string;
}

/** Location, Secrets, and a ready repository of volume namespace `shop`. */
export function moverObjects({ endpoint, keys, prefix, repositoryType, password }: MoverPlace): KubeObject[] {
  const { accessKeyId, secretAccessKey } = keys;
  const cloud = `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`;
  const labels = {
    'velero.io/volume-namespace': 'shop',
    'velero.io/storage-location': 'default',
    'velero.io/repository-type': repositoryType,
  };
  const config = { region: 'us-east-1', s3Url: `http://${endpoint}`, s3ForcePathStyle: 'true' };
  const place = prefix === undefined ? {} : { objectStorage: { bucket: 'backups', prefix } };
  return [
    aBackupStorageLocation({ spec: { config, ...place } }),
    aSecret({ name: 'cloud-credentials', values: { cloud } }),
    aSecret({ name: repositoryCredentials.name, values: { [repositoryCredentials.key]: password } }),
    aBackupRepository({
      name: `shop-default-${repositoryType}`,
      labels,
      spec: { volumeNamespace: 'shop', repositoryType },
    }),
  ];
}

export async function startMover(options: MoverOptions): Promise<MoverProcess> {
  const { command, movement, directory, environment } = options;
  const [program, ...first] = command;
  const api = options.api ?? (await apiInMemory([movement, ...(options.objects ?? [])]));
  const account = join(directory, 'account');
  await mkdir(account, { recursive: true });
  await writeFile(join(account, 'ca.crt'), api.authority);
  await writeFile(join(account, 'token'), api.token);
  await writeFile(join(account, 'namespace'), namespace);
  const child = spawn(program, [...first, ...flagsOf(options)], {
    env: {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(api.port),
      LATEEN_SERVICE_ACCOUNT: account,
      LATEEN_TERMINATION_LOG: join(directory, 'termination-log'),
      VELERO_NAMESPACE: namespace,
      VELERO_SCRATCH_DIR: join(directory, 'scratch'),
      NODE_NAME: 'node-1',
      ...environment,
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const end = async (): Promise<MoverEnd> => {
    const [exitCode] = await once(child, 'close');
    const events = (await api.events()).map(({ reason = '', message = '' }) => ({ reason, message }));
    await api.close();
    return {
      exitCode,
      log,
      events,
      message: await readFile(join(directory, 'termination-log'), 'utf8').catch(() => ''),
    };
  };
  return { pid: child.pid ?? 0, kill: () => void child.kill('SIGKILL'), ended: end() };
}

function flagsOf({ movement, volumePath, volumeMode = 'Filesystem', flags = [] }: MoverOptions): string[] {
  const { kind, metadata } = movement;
  const [words, nameFlag] = commands[kind as keyof typeof commands];
  const mode = words[0] === 'pod-volume' ? [] : [`--volume-mode=${volumeMode}`];
  const own = [`--volume-path=${volumePath}`, `${nameFlag}=${metadata.name}`, '--resource-timeout=1m'];
  return [...words, ...mode, ...own, '--log-format=json', ...flags];
}

async function apiInMemory(objects: readonly KubeObject[]): Promise<MoverApi> {
  const cluster = fakeCluster({ clock: systemClock, random: systemRandom, objects });
  const { ca: authority, server: tls } = testCertificates();
  const { port, close } = await serveFakeCluster(cluster, { tls });
  return { port, authority, token: 'token', events: async () => cluster.all(eventType), close };
}
