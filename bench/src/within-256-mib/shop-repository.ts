import { join } from 'node:path';
import type { KubeObject } from '@lateen/api-types';
import { childRunner } from '@lateen/child-process';
import { systemClock, systemRandom } from '@lateen/kernel';
import { s3Store } from '@lateen/object-store-s3';
import { initialiseRepository, type RepositoryTarget } from '@lateen/repository';
import { type S3Server, s3Keys } from '@lateen/store-rig';
import { moverObjects } from '@lateen/testing';

/** A kopia repository of namespace `shop`, empty at first. */
export interface ShopRepository {
  /** The API objects for a mover. */
  objects: readonly KubeObject[];
}

/** @param prefix of its location; unique */
export async function makeShopRepository(
  server: S3Server,
  prefix: string,
  signal: AbortSignal,
): Promise<ShopRepository> {
  const password = systemRandom.uuid();
  const location = server.location({ prefix });
  const target: RepositoryTarget = {
    location,
    volumeNamespace: 'shop',
    password,
    uid: `bench-${prefix}`,
    cacheLimitMB: 100,
  };
  const session = {
    process: childRunner({ program: server.kopia, clock: systemClock, graceMs: 5_000 }),
    workDirectory: join(server.directory, 'work', prefix),
    secretsDirectory: join(server.directory, 'memory', prefix),
    environment: process.env,
  };
  const store = s3Store(location);
  await initialiseRepository(target, { store, session, signal });
  await store.close();
  const place = { endpoint: server.endpoint, keys: s3Keys, prefix, password };
  return { objects: moverObjects({ ...place, repositoryType: 'kopia' }) };
}
