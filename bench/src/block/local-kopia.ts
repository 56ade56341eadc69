import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type KopiaSession, spawnedEngine } from '@lateen/repository';
import { type BlockOptions, kopiaUploader, systemBlock } from '@lateen/uploader';

const graceMs = 5_000;

/** kopia on a new repository in a directory, so that no object store is measured. */
export async function localKopia(binary: string, directory: string, path: string): Promise<KopiaSession> {
  const engine = spawnedEngine({ spawn, binary, clock: systemClock, graceMs });
  await mkdir(join(directory, 'blobs'), { recursive: true });
  const env = { HOME: directory, PATH: path, KOPIA_PASSWORD: 'bench', KOPIA_CHECK_FOR_UPDATES: 'false' };
  const common = [
    `--config-file=${join(directory, 'kopia.config')}`,
    '--disable-file-logging',
    '--no-auto-maintenance',
  ];
  const session: KopiaSession = {
    storage: { type: 's3', config: {} },
    where: directory,
    redact: (text) => text,
    failure: (exit, doing) => new AppError('ENGINE_FAILED', `${doing}: ${exit.stderr}`),
    close: async () => {},
    run: (args, run = {}) => engine.run({ args: [...args, ...common], env, ...run }),
  };
  const owner = ['--override-username=default', '--override-hostname=default'];
  const made = await session.run([
    'repository',
    'create',
    'filesystem',
    `--path=${join(directory, 'blobs')}`,
    ...owner,
  ]);
  if (made.exitCode !== 0) throw session.failure(made, 'making a repository');
  return session;
}

/** Moves one device with it, as the mover does. */
export function blockMover(
  session: KopiaSession,
  scratchDirectory: string,
  change: (block: BlockOptions) => BlockOptions,
) {
  const uploader = kopiaUploader({
    session,
    clock: systemClock,
    random: systemRandom,
    programs: { run: () => Promise.reject(new Error('a device has no files')) },
    block: change(systemBlock({ spawn, clock: systemClock, graceMs, scratchDirectory })),
    log: silentLogger,
    cpus: 2,
    discardMs: 20_000,
    flush: async () => {},
  });
  const common = (volumePath: string, config: Record<string, string>) => ({
    volumePath,
    volumeMode: 'Block' as const,
    config,
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  return {
    upload: (device: string, config: Record<string, string> = {}) =>
      uploader.upload({ ...common(device, config), source: { path: 'bench/block', tags: {} } }),
    download: (snapshotID: string, device: string, config: Record<string, string> = {}) =>
      uploader.download({ ...common(device, config), snapshotID }),
  };
}
