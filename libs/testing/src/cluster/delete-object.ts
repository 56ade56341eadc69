import type { DeleteOptions, ObjectKey, ResourceType } from '@lateen/kube';
import { notFound, preconditionFailed } from './api-error.ts';
import { apiTime, foregroundFinalizer, orphanFinalizer, type ServerState } from './server-state.ts';
import { type Entry, exactCopy, typeKeyOf } from './store.ts';

const podGraceSeconds = 30;

/** Handles DELETE: removes the object, or marks it as being deleted while finalizers (or the kubelet) need time. */
export function deleteObject(state: ServerState, type: ResourceType, key: ObjectKey, options: DeleteOptions): void {
  const entry = state.store.get(typeKeyOf(type), key);
  if (entry === undefined) throw notFound(type, key.name);
  checkPreconditions(type, entry, options);
  deleteEntry(state, entry, options);
}

/** The deletion without validation of the request; the garbage collector and the namespace controller use it, too. */
export function deleteEntry(state: ServerState, entry: Entry, options: DeleteOptions = {}): void {
  const object = exactCopy(entry);
  const metadata = object.metadata;
  const finalizers = [...(metadata.finalizers ?? []), ...propagationFinalizers(state, options)];
  const graceSeconds = graceOf(state, entry, options);
  if (finalizers.length === 0 && graceSeconds === 0 && entry.typeKey !== '/Namespace') {
    const last = state.store.remove(entry.typeKey, entry.key);
    if (last !== undefined) state.collectGarbageOf(last);
    return;
  }
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = apiTime(state.clock);
    metadata.deletionGracePeriodSeconds = graceSeconds;
    if (metadata.generation !== undefined) metadata.generation += 1;
  }
  if (finalizers.length > 0) metadata.finalizers = [...new Set(finalizers)];
  if (entry.typeKey === '/Namespace') object.status = { ...(object.status as object), phase: 'Terminating' };
  const marked = state.store.put(entry.typeKey, entry.key, object);
  state.collectGarbageOf(marked);
}

function checkPreconditions(type: ResourceType, entry: Entry, { preconditions }: DeleteOptions): void {
  const { uid } = entry.object.metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw preconditionFailed(type, entry.key.name, why);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== String(entry.version)) {
    const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${entry.version}). The object might have been modified`;
    throw preconditionFailed(type, entry.key.name, why);
  }
}

function propagationFinalizers(state: ServerState, options: DeleteOptions): string[] {
  if (!state.garbageCollection) return [];
  if (options.propagationPolicy === 'Foreground') return [foregroundFinalizer];
  if (options.propagationPolicy === 'Orphan') return [orphanFinalizer];
  return [];
}

/** Only a pod on a node gets a grace period. */
function graceOf(state: ServerState, entry: Entry, options: DeleteOptions): number {
  if (!state.gracefulPods || entry.typeKey !== '/Pod') return 0;
  const spec = entry.object.spec as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  const phase = (entry.object.status as { phase?: string } | undefined)?.phase;
  if (spec?.nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') return 0;
  return options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? podGraceSeconds;
}
