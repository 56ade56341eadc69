import type { StorageKind, StorageKinds } from '../reading/storage-reader.ts';
import type { RestCall, RestPorts } from '../serving/rest-call.ts';
import { withRetries } from '../writing/with-retries.ts';
import { readThere, updateObject } from '../writing/write-object.ts';

/**
 * Reads an object, decides its new content, and updates it at the version that was read; retries after a conflict. `change` returns undefined when
 * nothing changes. @throws REST_NOT_FOUND, REST_CONFLICTS, errors of `change`
 */
export function changeObject<K extends Exclude<StorageKind, 'pods' | 'events'>>(
  ports: RestPorts,
  { name, signal }: Pick<RestCall, 'name' | 'signal'>,
  kind: K,
  change: (object: StorageKinds[K]) => StorageKinds[K] | undefined,
): Promise<StorageKinds[K]> {
  return withRetries(ports, signal, async () => {
    const object = await readThere(ports, kind, name, signal);
    const changed = change(object);
    return changed === undefined ? object : updateObject(ports, kind, changed, signal);
  });
}
