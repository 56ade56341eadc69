import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventType, type KubeObject, repositoryCredentials } from '@lateen/api-types';
import { systemClock, systemRandom } from '@lateen/kernel';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aSecret,
  fakeCluster,
  serveFakeCluster,
  testCertificates,
} from '@lateen/testing';
import { testPassword } from './repository-rig.ts';
import { s3Keys } from './s3-server.ts';

const namespace = 'velero';
const main = join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'data-mover', 'src', 'main.ts');

export interface MoverOptions {
  verb: 'backup' | 'restore';
  /** Its DataUpload or DataDownload, InProgress. */
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
  /** Of its Events. */
  reasons: string[];
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
export function moverObjects(endpoint: string, repositoryType: 'kopia' | 'restic', prefix?: string): KubeObject[] {
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
  const { verb, movement, objects, volumePath, directory, environment } = options;
  const cluster = fakeCluster({ clock: systemClock, random: systemRandom, objects: [movement, ...objects] });
  const api = await serveFakeCluster(cluster, { tls: testCertificates().server });
  const account = join(directory, 'account');
  await mkdir(account, { recursive: true });
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
      ...environment,
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const end = async (): Promise<MoverEnd> => {
    const [exitCode] = await once(child, 'close');
    const reasons = cluster.all(eventType).map(({ reason }) => reason ?? '');
    await api.close();
    return {
      exitCode,
      log,
      reasons,
      message: await readFile(join(directory, 'termination-log'), 'utf8').catch(() => ''),
    };
  };
  return { kill: () => void child.kill('SIGKILL'), ended: end() };
}
