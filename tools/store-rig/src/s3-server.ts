import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, freePorts, silentProgress } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import type { AwsCredentials, S3Location } from '@lateen/storage-location';
import { execa } from 'execa';

export const s3Keys = { accessKeyId: 'LATEENTESTKEY', secretAccessKey: 'lateen-test-secret-0123456789' };

/** A location that contains its keys, so that a store can use it directly. */
export type KeyedLocation = Omit<S3Location, 'credentials'> & { credentials: AwsCredentials };

export interface S3Server extends AsyncDisposable {
  endpoint: string;
  /** Folder of all files of this server; buckets are directories in it. */
  directory: string;
  kopia: string;
  /** Process ID of the server. */
  pid: number;
  makeBucket(name: string): Promise<void>;
  location(more?: Partial<KeyedLocation>): KeyedLocation;
}

/** A real S3 server (versitygw on a directory) on a free port of loopback, and the real kopia. @param more environment of the server */
export async function startS3Server(more: Readonly<Record<string, string>> = {}): Promise<S3Server> {
  const { versitygw, kopia } = await ensureParts(['versitygw', 'kopia'], silentProgress);
  const directory = await mkdtemp(join(tmpdir(), 'lateen-s3-'));
  const buckets = join(directory, 'buckets');
  await mkdir(buckets);
  const [port = 0] = await freePorts(1);
  const endpoint = `127.0.0.1:${port}`;
  const { accessKeyId, secretAccessKey } = s3Keys;
  const server = execa(versitygw ?? '', ['--port', endpoint, '--region', 'us-east-1', '--quiet', 'posix', buckets], {
    env: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey, ...more },
    stdio: 'ignore',
    reject: false,
  });
  await answers(endpoint);
  return {
    endpoint,
    directory,
    kopia: kopia ?? '',
    pid: server.pid ?? 0,
    makeBucket: async (name) => {
      await mkdir(join(buckets, name), { recursive: true });
    },
    location: (more = {}) => ({
      provider: 's3',
      name: 'default',
      bucket: 'backups',
      prefix: '',
      region: 'us-east-1',
      endpoint,
      tls: false,
      verifyTls: true,
      pathStyle: true,
      readOnly: false,
      credentials: s3Keys,
      ...more,
    }),
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await server;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answers(endpoint: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answered = await fetch(`http://${endpoint}/`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await systemClock.sleep(50);
  }
  throw new Error(`the S3 server at ${endpoint} does not answer`);
}
