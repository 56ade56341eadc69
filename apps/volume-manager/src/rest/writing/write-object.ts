import { unlessAborted } from '@lateen/kernel';
import { deleteIfThere, type KubeObject, readObject } from '@lateen/kube';
import { type StorageKind, type StorageKinds, storageKindTypes } from '../reading/storage-reader.ts';
import { missing } from '../routes/missing.ts';
import type { RestPorts } from '../serving/rest-call.ts';

/** What handlers that write need: the API server, and the cache that later answers are made from. */
export type WritePorts = Pick<RestPorts, 'api' | 'reader' | 'namespace' | 'clock'>;

/** Kinds that the API writes. */
type Written = Exclude<StorageKind, 'pods' | 'events'>;

/** The object as the API server has it now; undefined when it does not exist. */
export const readNow = <K extends Written>(
  { api, namespace }: WritePorts,
  kind: K,
  name: string,
  signal: AbortSignal,
): Promise<StorageKinds[K] | undefined> =>
  readObject<StorageKinds[K] & KubeObject>(api, storageKindTypes[kind], { namespace, name }, signal);

/** @throws REST_NOT_FOUND */
export async function readThere<K extends Written>(
  ports: WritePorts,
  kind: K,
  name: string,
  signal: AbortSignal,
): Promise<StorageKinds[K]> {
  const object = await readNow(ports, kind, name, signal);
  if (object === undefined) throw missing(storageKindTypes[kind].resource, name);
  return object;
}

/** Creates an object and waits briefly until the cache lists it. @throws KUBE_ALREADY_EXISTS, KUBE_INVALID, … */
export async function createObject<K extends Written>(
  ports: WritePorts,
  kind: K,
  object: StorageKinds[K],
  signal: AbortSignal,
): Promise<StorageKinds[K]> {
  const type = storageKindTypes[kind];
  const { namespace } = ports;
  const made = await ports.api.create<StorageKinds[K] & KubeObject>(type, object, { namespace, signal });
  await whenSeen(ports, kind, () => ports.reader.get(kind, made.metadata.name ?? '') !== undefined, signal);
  return made;
}

/**
 * Updates an object at the version that was read, and waits briefly until the cache has a newer one. @throws KUBE_CONFLICT when the version has
 * changed
 */
export async function updateObject<K extends Written>(
  ports: WritePorts,
  kind: K,
  object: StorageKinds[K],
  signal: AbortSignal,
): Promise<StorageKinds[K]> {
  const { name = '', resourceVersion } = object.metadata;
  // Without a version the update would overwrite any later change.
  if (resourceVersion === undefined) throw new RangeError(`${kind} ${name} was not read before it is written`);
  const written = await ports.api.update<StorageKinds[K] & KubeObject>(storageKindTypes[kind], object, { signal });
  const isOld = () => ports.reader.get(kind, name)?.metadata.resourceVersion === resourceVersion;
  if (written.metadata.resourceVersion !== resourceVersion) await whenSeen(ports, kind, () => !isOld(), signal);
  return written;
}

/** Deletes the object with this uid and waits briefly until the cache shows it. Does nothing when it is gone. */
export async function deleteObject<K extends Written>(
  ports: WritePorts,
  kind: K,
  object: StorageKinds[K],
  signal: AbortSignal,
): Promise<void> {
  await deleteIfThere(ports.api, storageKindTypes[kind], object, signal);
  const now = () => ports.reader.get(kind, object.metadata.name ?? '');
  const isGoing = () => now()?.metadata.deletionTimestamp !== undefined || now()?.metadata.uid !== object.metadata.uid;
  await whenSeen(ports, kind, isGoing, signal);
}

/** A watch is normally milliseconds behind. If it is further behind, the answer does not wait longer than this. */
const seenMs = 2_000;

/** Resolves with true when `test` holds for the cached objects; with false when it does not within `withinMs`. @throws the signal's reason */
export async function whenSeen(
  { reader, clock }: Pick<WritePorts, 'reader' | 'clock'>,
  kind: StorageKind,
  test: () => boolean,
  signal: AbortSignal,
  withinMs: number = seenMs,
): Promise<boolean> {
  if (test()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = reader.onChange(kind, () => {
    if (test()) resolve(true);
  });
  try {
    return (await unlessAborted(promise, AbortSignal.any([signal, clock.deadline(withinMs)]))) ?? false;
  } finally {
    end();
    signal.throwIfAborted();
  }
}
