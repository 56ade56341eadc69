import type { StorageKind, StorageKinds } from '../reading/storage-reader.ts';
import type { RestCall, RestPorts } from '../serving/rest-call.ts';
import { withRetries } from '../writing/with-retries.ts';
import { readThere, updateObject } from '../writing/write-object.ts';

/**
 * Reads an object, decides what it is to be, writes that over what was read; begins again when somebody else wrote meanwhile. `change` gives undefined for
 * what stays as it is. @throws REST_NOT_FOUND, REST_CONFLICTS, whatever `change` throws
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
