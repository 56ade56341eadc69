import { refused } from '@lateen/storage-rest';
import { deniedByWebhook, type Refusal } from '@lateen/volume-decisions';
import type { StorageKind, StorageKinds } from '../reading/storage-reader.ts';
import { type Endpoint, longhornNeed, type RestPorts } from '../serving/rest-call.ts';
import { deleteObject, readThere } from '../writing/write-object.ts';

/** Deletes one object, unless `check` refuses; answers without a body. The object's controller deletes the data behind it later. */
export const deleteEndpoint = <K extends Exclude<StorageKind, 'pods' | 'events'>>(
  resource: string,
  kind: K,
  check: (object: StorageKinds[K], ports: RestPorts) => Refusal = () => undefined,
): Endpoint => ({
  needs: [longhornNeed('delete', resource)],
  handle: async ({ name, signal }, ports) => {
    const object = await readThere(ports, kind, name, signal);
    const refusal = check(object, ports);
    if (refusal !== undefined) throw refused(deniedByWebhook(refusal));
    await deleteObject(ports, kind, object, signal);
    return {};
  },
});
