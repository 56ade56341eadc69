import { deleteEntry } from './delete-object.ts';
import { foregroundFinalizer, orphanFinalizer, type ServerState } from './server-state.ts';
import { type Entry, exactCopy } from './store.ts';

/**
 * The work of garbage collector and namespace controller after one change: `entry` has been removed, or has been marked
 * as being deleted.
 */
export function collectGarbageOf(state: ServerState, entry: Entry): void {
  if (!state.garbageCollection) return;
  const gone = state.store.get(entry.typeKey, entry.key)?.object.metadata.uid !== entry.object.metadata.uid;
  if (gone) {
    for (const dependent of dependentsOf(state, entry)) deleteIfOrphan(state, dependent);
    for (const owner of waitingOwnersOf(state, entry)) finishForeground(state, owner);
    if (entry.key.namespace !== undefined) finishNamespace(state, entry.key.namespace);
    return;
  }
  const finalizers = entry.object.metadata.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) orphanDependents(state, entry);
  else if (finalizers.includes(foregroundFinalizer)) finishForeground(state, entry);
  if (entry.typeKey === '/Namespace') finishNamespace(state, entry.key.name);
}

/** Checks all objects: deletes those whose owners do not exist. */
export function collectAllGarbage(state: ServerState): void {
  if (!state.garbageCollection) return;
  for (const entry of state.store.owned()) deleteIfOrphan(state, entry);
}

function dependentsOf(state: ServerState, owner: Entry): Entry[] {
  const uid = owner.object.metadata.uid;
  return state.store.owned().filter((entry) => entry.object.metadata.ownerReferences?.some((ref) => ref.uid === uid));
}

function deleteIfOrphan(state: ServerState, seen: Entry): void {
  const entry = state.store.get(seen.typeKey, seen.key);
  const references = entry?.object.metadata.ownerReferences ?? [];
  if (entry === undefined || references.length === 0 || entry.object.metadata.deletionTimestamp !== undefined) return;
  if (!references.some((reference) => state.store.byUid(reference.uid) !== undefined)) deleteEntry(state, entry);
}

function waitingOwnersOf(state: ServerState, dependent: Entry): Entry[] {
  return (dependent.object.metadata.ownerReferences ?? [])
    .map((reference) => state.store.byUid(reference.uid))
    .filter((owner) => owner !== undefined)
    .filter((owner) => owner.object.metadata.finalizers?.includes(foregroundFinalizer));
}

function finishForeground(state: ServerState, owner: Entry): void {
  const { uid } = owner.object.metadata;
  for (const dependent of dependentsOf(state, owner)) {
    if (dependent.object.metadata.deletionTimestamp === undefined) deleteEntry(state, dependent);
  }
  const blocked = dependentsOf(state, owner).some((dependent) =>
    dependent.object.metadata.ownerReferences?.some((ref) => ref.uid === uid && ref.blockOwnerDeletion === true),
  );
  if (!blocked) dropFinalizer(state, owner, foregroundFinalizer);
}

function orphanDependents(state: ServerState, owner: Entry): void {
  for (const dependent of dependentsOf(state, owner)) {
    const object = exactCopy(dependent);
    const kept = object.metadata.ownerReferences?.filter((ref) => ref.uid !== owner.object.metadata.uid) ?? [];
    if (kept.length > 0) object.metadata.ownerReferences = kept;
    else delete object.metadata.ownerReferences;
    state.store.put(dependent.typeKey, dependent.key, object);
  }
  dropFinalizer(state, owner, orphanFinalizer);
}

function dropFinalizer(state: ServerState, seen: Entry, finalizer: string): void {
  const entry = state.store.get(seen.typeKey, seen.key);
  if (entry === undefined || !entry.object.metadata.finalizers?.includes(finalizer)) return;
  const object = exactCopy(entry);
  const finalizers = object.metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
  if (finalizers.length > 0) {
    object.metadata.finalizers = finalizers;
    state.store.put(entry.typeKey, entry.key, object);
    return;
  }
  delete object.metadata.finalizers;
  const last = state.store.remove(entry.typeKey, entry.key, object);
  if (last !== undefined) collectGarbageOf(state, last);
}

/** Deletes the content of a namespace that is being deleted, and removes the namespace when it is empty. */
function finishNamespace(state: ServerState, name: string): void {
  const namespace = state.store.get('/Namespace', { name });
  if (namespace?.object.metadata.deletionTimestamp === undefined) return;
  const content = () => state.store.all().filter((entry) => entry.key.namespace === name);
  for (const entry of content()) {
    if (entry.object.metadata.deletionTimestamp === undefined && state.store.get(entry.typeKey, entry.key)) {
      deleteEntry(state, entry);
    }
  }
  if (content().length > 0 || (namespace.object.metadata.finalizers ?? []).length > 0) return;
  state.store.remove('/Namespace', { name });
}
