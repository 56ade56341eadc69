import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import type { EngineExit, KopiaSession } from '@lateen/repository';

export interface FilesystemSession extends KopiaSession {
  /** The arguments of every run, in order. */
  readonly runs: string[][];
}

/** The real kopia on a repository in a directory, for tests that do not depend on the storage. */
export async function filesystemSession(
  kopia: string,
  directory: string,
  /** More arguments for the creation of the repository. */
  create: readonly string[] = [],
): Promise<FilesystemSession> {
  const engine = childRunner({ program: kopia, clock: systemClock, graceMs: 10_000 });
  const [home, blobs] = [join(directory, 'home'), join(directory, 'blobs')];
  await Promise.all([mkdir(home, { recursive: true }), mkdir(blobs, { recursive: true })]);
  const env = { HOME: home, PATH: process.env.PATH ?? '', KOPIA_PASSWORD: 'p', KOPIA_CHECK_FOR_UPDATES: 'false' };
  const common = [
    `--config-file=${join(home, 'repository.config')}`,
    '--disable-file-logging',
    '--no-auto-maintenance',
  ];
  const runs: string[][] = [];
  const session: FilesystemSession = {
    runs,
    storage: { type: 's3', config: {} },
    where: directory,
    redact: (text) => text,
    failure: (exit: EngineExit, doing, known) => {
      const match = known?.find(({ pattern }) => pattern.test(exit.stderr));
      return new AppError(match?.code ?? 'ENGINE_FAILED', `${doing}: ${exit.stderr}`);
    },
    close: async () => {},
    run: (args, options = {}) => {
      runs.push([...args]);
      return engine.run({ args: [...args, ...common], env, ...options });
    },
  };
  const owner = ['--override-username=default', '--override-hostname=default'];
  const created = await session.run(['repository', 'create', 'filesystem', `--path=${blobs}`, ...owner, ...create]);
  if (created.exitCode !== 0) throw new Error(`kopia cannot make a repository: ${created.stderr}`);
  return session;
}
