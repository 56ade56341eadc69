import type { PodShell } from '@lateen/demo';
import { systemRandom } from '@lateen/kernel';

export interface RawKopiaOptions {
  s3: { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string };
  /** A shell in the pod whose volume is read; its image contains kopia. */
  shell: PodShell;
}

/** kopia alone, in the workload's own pod, with the same S3 server: the ceiling with which a movement is compared. */
export interface RawKopia {
  /** Connects and takes a snapshot, as a mover does for each volume. Resolves with the time of both, ms. */
  snapshot(directory: string): Promise<number>;
  /** Connects and restores the latest snapshot to a directory beside the original, in the pod's own file system. ms */
  restore(directory: string): Promise<number>;
}

/** Creates a separate repository under `kopia/`, where locations allow folders. Keys are passed by standard input, never as arguments. */
export async function rawKopia({ s3, shell }: RawKopiaOptions): Promise<RawKopia> {
  const url = new URL(s3.endpoint);
  const suffix = systemRandom.suffix(5);
  const environment = {
    KOPIA_PASSWORD: systemRandom.uuid(),
    AWS_ACCESS_KEY_ID: s3.accessKey,
    AWS_SECRET_ACCESS_KEY: s3.secretKey,
    KOPIA_CHECK_FOR_UPDATES: 'false',
    KOPIA_CACHE_DIRECTORY: `/tmp/kopia-cache-${suffix}`,
    KOPIA_LOG_DIR: `/tmp/kopia-logs-${suffix}`,
    KOPIA_CONFIG_PATH: `/tmp/kopia-${suffix}.config`,
  };
  const storage = [
    's3',
    `--bucket=${s3.bucket}`,
    `--prefix=kopia/bench-raw-${suffix}/`,
    `--endpoint=${url.host}`,
    `--region=${s3.region}`,
    ...(url.protocol === 'http:' ? ['--disable-tls'] : []),
    '--override-username=default',
    '--override-hostname=default',
  ].join(' ');
  const script = (lines: readonly string[]): string =>
    [
      'set -e',
      `said=/tmp/kopia-${suffix}.said; trap '[ $? = 0 ] || cat "$said" >&2' EXIT`,
      ...Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`),
      ...lines,
      '',
    ].join('\n');
  await shell.run(['sh', '-s'], script([`kopia repository create ${storage} >"$said" 2>&1`]));
  const snapshotLines = (directory: string): string[] => [
    'start=$(date +%s%N)',
    `kopia repository connect ${storage} >"$said" 2>&1`,
    `kopia snapshot create ${directory} --override-source=default@default:bench${directory} --no-auto-maintenance --json >"$said" 2>&1`,
    'echo $(( ($(date +%s%N) - start) / 1000000 ))',
  ];
  const restoreLines = (directory: string): string[] => [
    'start=$(date +%s%N)',
    `kopia repository connect ${storage} >"$said" 2>&1`,
    `id=$(kopia snapshot list default@default:bench${directory} --json | sed -n 's/.*"id":"\\([0-9a-f]*\\)".*/\\1/p' | tail -1)`,
    `kopia restore "$id" /tmp/bench-restored >"$said" 2>&1`,
    'sync -f /tmp',
    'echo $(( ($(date +%s%N) - start) / 1000000 ))',
    'rm -rf /tmp/bench-restored',
  ];
  const timed = async (lines: readonly string[]) => Number(await shell.run(['sh', '-s'], script(lines)));
  return {
    snapshot: (directory) => timed(snapshotLines(directory)),
    restore: (directory) => timed(restoreLines(directory)),
  };
}
