import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildRunner, childRunner } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';

const graceMs = 5_000;

/** kopia on a new repository in a directory, so that no object store is measured; `engine` runs it. */
export async function localKopia(
  binary: string,
  directory: string,
  path: string,
  engine: ChildRunner = childRunner({ program: binary, clock: systemClock, graceMs }),
): Promise<KopiaSession> {
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
