import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventType, type KubeObject, repositoryCredentials } from '@lateen/api-types';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { RepositoryType } from '@lateen/repository';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aSecret,
  fakeCluster,
  serveFakeCluster,
  testCertificates,
} from '@lateen/testing';
import { testPassword } from './repository-rig.ts';
import { type S3Server, s3Keys } from './s3-server.ts';

const namespace = 'velero';
const main = join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'data-mover', 'src', 'main.ts');

/** The words of the command, and the flags that say what it moves. */
const commands = {
  DataUpload: [['backup', '--volume-mode=Filesystem'], '--data-upload'],
  DataDownload: [['restore', '--volume-mode=Filesystem'], '--data-download'],
  PodVolumeBackup: [['pod-volume', 'backup'], '--pod-volume-backup'],
  PodVolumeRestore: [['pod-volume', 'restore'], '--pod-volume-restore'],
} as const;

export interface MoverOptions {
  /** Of one of the four kinds, InProgress already. */
  movement: KubeObject;
  /** What else it finds in the API; see {@link moverObjects}. */
  objects: readonly KubeObject[];
  volumePath: string;
  /** For its files: `scratch` below it is its scratch volume. One that was there before is that of an earlier mover. */
  directory: string;
  environment?: Readonly<Record<string, string>>;
}

export interface MoverEnd {
  /** Null when a signal has ended it. */
  exitCode: number | null;
  log: string;
  events: { reason: string; message: string }[];
  /** What it has left as termination message. */
  message: string;
}

/** A `data-mover` that runs as its pod would, against an API server in memory. */
export interface MoverProcess {
  /** With SIGKILL. */
  kill(): void;
  ended: Promise<MoverEnd>;
}

/** Location, Secrets, and a repository of volume namespace `shop` that is ready. */
export function moverObjects(endpoint: string, repositoryType: RepositoryType, prefix?: string): KubeObject[] {
  const { accessKeyId, secretAccessKey } = s3Keys;
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
    aSecret({ name: repositoryCredentials.name, values: { [repositoryCredentials.key]: testPassword } }),
    aBackupRepository({
      name: `shop-default-${repositoryType}`,
      labels,
      spec: { volumeNamespace: 'shop', repositoryType },
    }),
  ];
}

export async function startMover(options: MoverOptions): Promise<MoverProcess> {
  const { movement, objects, volumePath, directory, environment } = options;
  const cluster = fakeCluster({ clock: systemClock, random: systemRandom, objects: [movement, ...objects] });
  const api = await serveFakeCluster(cluster, { tls: testCertificates().server });
  const account = join(directory, 'account');
  await mkdir(account, { recursive: true });
  await writeFile(join(account, 'ca.crt'), testCertificates().ca);
  await writeFile(join(account, 'token'), 'token');
  await writeFile(join(account, 'namespace'), namespace);
  const [words, nameFlag] = commands[movement.kind as keyof typeof commands];
  const flags = [`--volume-path=${volumePath}`, `${nameFlag}=${movement.metadata.name}`];
  const child = spawn(process.execPath, [main, ...words, ...flags, '--resource-timeout=1m', '--log-format=json'], {
    env: {
      PATH: process.env.PATH,
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
    const events = cluster.all(eventType).map(({ reason = '', message = '' }) => ({ reason, message }));
    await api.close();
    return {
      exitCode,
      log,
      events,
      message: await readFile(join(directory, 'termination-log'), 'utf8').catch(() => ''),
    };
  };
  return { kill: () => void child.kill('SIGKILL'), ended: end() };
}

export interface MoverRun {
  movement: KubeObject;
  engine: RepositoryType;
  volumePath: string;
  /** Instead of kopia's own program. */
  enginePath?: string;
}

/** Runs a `data-mover` to its end, with the real engine on a repository of namespace `shop` in the S3 server. */
export async function runMover(
  server: S3Server,
  { movement, engine, volumePath, enginePath }: MoverRun,
): Promise<MoverEnd> {
  const { ended } = await startMover({
    movement,
    objects: moverObjects(server.endpoint, engine),
    volumePath,
    directory: await mkdtemp(join(server.directory, 'mover-')),
    environment: { LATEEN_KOPIA: enginePath ?? server.kopia },
  });
  return await ended;
}
