import {
  backupRepositoryType,
  backupStorageLocationType,
  configMapType,
  dataDownloadType,
  dataUploadType,
  eventType,
  jobType,
  podType,
} from '@lateen/api-types';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type KubeObject, type ResourceType, resourcePath } from '@lateen/kube';
import type { KubeClient } from '@lateen/kube-client';
import { reflect } from '@lateen/kube-runtime';
import type { LeakSearch } from './leak-search.ts';

/** Kinds whose objects are deleted or changed during the test. */
const shortLived: readonly ResourceType[] = [
  backupRepositoryType,
  backupStorageLocationType,
  configMapType,
  dataDownloadType,
  dataUploadType,
  eventType,
  jobType,
  podType,
];

/** Searches every version of these objects, managed fields included. Ends with the signal. */
export async function watchObjects(
  kube: KubeClient,
  search: LeakSearch,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const ports = { api: kube, clock: systemClock, random: systemRandom, log: silentLogger };
  const look = (type: ResourceType, object: KubeObject) =>
    search.text('object', `${type.kind} ${object.metadata.namespace}/${object.metadata.name}`, JSON.stringify(object));
  await Promise.all(
    namespaces.flatMap((namespace) =>
      shortLived.map((type) => {
        const sink = {
          replace: (objects: KubeObject[]) => {
            for (const object of objects) look(type, object);
          },
          apply: ({ object }: { object: KubeObject }) => look(type, object),
        };
        return reflect<KubeObject>({ ...ports, type, namespace, transform: (object) => object }, sink, signal);
      }),
    ),
  );
}

/** Everything that the API server serves, as it sends it, except Secrets, which are meant to contain secrets. */
export async function searchAllObjects(kube: KubeClient, search: LeakSearch): Promise<void> {
  const types = await kube.resourceTypes({ fresh: true });
  for (const type of types) {
    if (!type.verbs.includes('list') || (type.group === '' && type.resource === 'secrets')) continue;
    const path = resourcePath(type, {});
    search.text('API', path, await kube.raw({ path }));
  }
}
