import { isDeepStrictEqual } from 'node:util';
import type { ObjectKey, ResourceType, Unstructured, WriteOptions } from '@lateen/kube';
import { badRequest, conflict, invalid, modified, notFound, unknownPath, versionRequired } from './api-error.ts';
import { checkMetadata } from './check-metadata.ts';
import { storeData } from './config-data.ts';
import { parseExactly } from './exact-json.ts';
import { checkChange } from './immutable-fields.ts';
import { type KindFacts, kindFacts } from './kind-facts.ts';
import type { ServerState } from './server-state.ts';
import { type Entry, exactCopy, typeKeyOf } from './store.ts';

/** Handles PUT on an existing object; also the last step of every patch. */
export function updateObject(
  state: ServerState,
  type: ResourceType,
  key: ObjectKey,
  input: object,
  options: WriteOptions & { fromPatch?: boolean },
): Entry | Unstructured {
  const object = parseExactly(JSON.stringify(input)) as Unstructured;
  const entry = state.store.get(typeKeyOf(type), key);
  if (entry === undefined) throw notFound(type, key.name);
  const facts = kindFacts(state.store, type);
  if (options.subresource === 'status' && !facts.statusSubresource) throw unknownPath();
  object.metadata ??= {};
  checkIdentity(type, key, object);
  checkVersion(type, facts, entry, object, options.fromPatch === true);

  const current = exactCopy(entry);
  const next =
    options.subresource === 'status' ? withNewStatus(current, object) : withNewContent(facts, current, object);
  storeData(type, next);
  checkMetadata(type, next);
  checkChange(type, current, next);
  checkFinalizers(type, current, next);
  if (facts.generation && options.subresource !== 'status' && contentChanged(facts, current, next)) {
    next.metadata.generation = (current.metadata.generation ?? 0) + 1;
  }
  if (options.dryRun === true) return next;
  if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
    const last = state.store.remove(typeKeyOf(type), key, next);
    if (last === undefined) throw notFound(type, key.name);
    state.collectGarbageOf(last);
    return last;
  }
  return state.store.put(typeKeyOf(type), key, next);
}

function checkIdentity(type: ResourceType, key: ObjectKey, object: Unstructured): void {
  const { name, namespace } = object.metadata;
  if (name !== undefined && name !== key.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${key.name})`);
  }
  if (type.namespaced && namespace !== undefined && namespace !== key.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function checkVersion(
  type: ResourceType,
  facts: KindFacts,
  entry: Entry,
  object: Unstructured,
  fromPatch: boolean,
): void {
  const { resourceVersion, uid } = object.metadata;
  const name = entry.key.name;
  if (uid !== undefined && uid !== '' && uid !== entry.object.metadata.uid) {
    if (fromPatch) throw invalid(type, name, `metadata.uid: Invalid value: "${uid}": field is immutable`);
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${entry.object.metadata.uid}`;
    throw conflict(type, name, why);
  }
  if (resourceVersion === undefined || resourceVersion === '') {
    if (facts.unconditionalUpdate || fromPatch) return;
    throw versionRequired(type, name);
  }
  if (resourceVersion !== String(entry.version)) throw modified(type, name);
}

/** Only `status` (and, as in the API, managedFields) is taken from the request. */
const withNewStatus = (current: Unstructured, object: Unstructured): Unstructured => ({
  ...current,
  ...('status' in object ? { status: object.status } : {}),
});

/** Everything is taken from the request except the fields that the server manages. */
function withNewContent(facts: KindFacts, current: Unstructured, object: Unstructured): Unstructured {
  const { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion } =
    current.metadata;
  const owned = { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion };
  const { name, namespace } = current.metadata;
  const metadata = { ...object.metadata, ...owned, name, namespace };
  const next = { ...object, apiVersion: current.apiVersion, kind: current.kind, metadata } as Unstructured;
  if (facts.statusSubresource) {
    if ('status' in current) next.status = current.status;
    else delete next.status;
  }
  return parseExactly(JSON.stringify(next)) as Unstructured;
}

function checkFinalizers(type: ResourceType, current: Unstructured, next: Unstructured): void {
  if (current.metadata.deletionTimestamp === undefined) return;
  const added = (next.metadata.finalizers ?? []).filter((f) => !(current.metadata.finalizers ?? []).includes(f));
  if (added.length === 0) return;
  const list = added.map((f) => JSON.stringify(f)).join(', ');
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  throw invalid(type, current.metadata.name ?? '', `metadata.finalizers: Forbidden: ${why}`);
}

function contentChanged(facts: KindFacts, current: Unstructured, next: Unstructured): boolean {
  const content = ({ metadata: _, status, ...rest }: Unstructured) =>
    facts.statusSubresource ? rest : { ...rest, status };
  return !isDeepStrictEqual(content(current), content(next));
}
