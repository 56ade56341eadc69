import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemRandom } from '@lateen/kernel';
import { execa } from 'execa';

export interface RawKopiaOptions {
  kopia: string;
  s3: { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string };
  clock: Clock;
  signal: AbortSignal;
}

/** kopia alone, on this machine, against the same S3 server: the ceiling that a movement is held against. */
export interface RawKopia extends AsyncDisposable {
  /** Connects and takes a snapshot, as a mover does for each volume. Resolves with the time both took, ms. */
  snapshot(directory: string): Promise<number>;
}

/** Makes a repository of its own under `kopia/`, where a location may have folders; it is not removed from the bucket here. */
export async function rawKopia(options: RawKopiaOptions): Promise<RawKopia> {
  const folder = await mkdtemp(join(tmpdir(), 'lateen-bench-'));
  const config = join(folder, 'repository.config');
  const { s3 } = options;
  const url = new URL(s3.endpoint);
  const env = {
    KOPIA_PASSWORD: systemRandom.uuid(),
    AWS_ACCESS_KEY_ID: s3.accessKey,
    AWS_SECRET_ACCESS_KEY: s3.secretKey,
    KOPIA_CHECK_FOR_UPDATES: 'false',
    KOPIA_CACHE_DIRECTORY: join(folder, 'cache'),
    KOPIA_LOG_DIR: join(folder, 'logs'),
  };
  const storage = [
    's3',
    `--bucket=${s3.bucket}`,
    `--prefix=kopia/bench-raw-${systemRandom.suffix(5)}/`,
    `--endpoint=${url.host}`,
    `--region=${s3.region}`,
    ...(url.protocol === 'http:' ? ['--disable-tls'] : []),
    '--override-username=default',
    '--override-hostname=default',
  ];
  const kopia = (args: readonly string[]) =>
    execa(options.kopia, [`--config-file=${config}`, ...args], { env, cancelSignal: options.signal });
  await kopia(['repository', 'create', ...storage]);
  return {
    snapshot: async (directory) => {
      const startMs = options.clock.monotonicMs();
      await kopia(['repository', 'connect', ...storage]);
      await kopia([
        'snapshot',
        'create',
        directory,
        '--override-source=default@default:bench',
        '--no-auto-maintenance',
        '--json',
      ]);
      return options.clock.monotonicMs() - startMs;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
