import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@lateen/api-types';
import type { RepositoryType } from '@lateen/repository';
import { type MoverEnd, moverObjects, startMover } from '@lateen/testing';
import { compileCache } from '../environment/compile-cache.ts';
import { testPassword } from './repository-rig.ts';
import { type S3Server, s3Keys } from './s3-server.ts';

/** The mover, run from its sources; start it with {@link moverEnvironment}. */
export const moverCommand = [
  process.execPath,
  join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'data-mover', 'src', 'main.ts'),
] as const;

/** The environment of {@link moverCommand}. */
export const moverEnvironment = (): Record<string, string> & { PATH: string } => ({
  PATH: process.env.PATH ?? '',
  ...compileCache(),
});

/** The API objects for a mover with a repository of `repositoryRig`. */
export const rigObjects = (endpoint: string, repositoryType: RepositoryType, prefix?: string): KubeObject[] =>
  moverObjects({ endpoint, keys: s3Keys, prefix, repositoryType, password: testPassword });

export interface MoverRun {
  movement: KubeObject;
  engine: RepositoryType;
  volumePath: string;
  /** Replaces kopia's program. */
  enginePath?: string;
}

/** Runs a `data-mover` to its end, with the real engine on a repository of namespace `shop` in the S3 server. */
export async function runMover(
  server: S3Server,
  { movement, engine, volumePath, enginePath }: MoverRun,
): Promise<MoverEnd> {
  const { ended } = await startMover({
    command: moverCommand,
    movement,
    objects: rigObjects(server.endpoint, engine),
    volumePath,
    directory: await mkdtemp(join(server.directory, 'mover-')),
    environment: { ...moverEnvironment(), LATEEN_KOPIA: enginePath ?? server.kopia },
  });
  return await ended;
}
