import { orAborted } from '@lateen/kernel';
import type {
  KubeApi,
  KubeObject,
  ListOptions,
  ListPage,
  ObjectKey,
  ReadOptions,
  ResourceType,
  Unstructured,
  WatchEvent,
} from '@lateen/kube';
import { keyOf, requireKey, requireScope } from '@lateen/kube';
import { reviewAccess } from './access-review.ts';
import { notFound, tooLong, unknownPath } from './api-error.ts';
import { createObject } from './create-object.ts';
import { requireServed } from './definitions.ts';
import { deleteObject } from './delete-object.ts';
import { parseExactly } from './exact-json.ts';
import type { ApiCall, Interceptor } from './interceptors.ts';
import { kindFacts } from './kind-facts.ts';
import { ObjectLists } from './list-objects.ts';
import { patchObject } from './patch-object.ts';
import type { ServerState } from './server-state.ts';
import { type Entry, typeKeyOf } from './store.ts';
import { updateObject } from './update-object.ts';
import type { Watches } from './watches.ts';

/** The layers between a caller and the state: the record of calls, and the interceptors. */
export interface CallPath {
  readonly interceptors: readonly Interceptor[];
  record(call: ApiCall): void;
}

/** KubeApi on the state. Every response is a separate copy. */
export function fakeApi(state: ServerState, watches: Watches, path: CallPath): KubeApi {
  const lists = new ObjectLists(state.store);
  const run = callRunner(state, path);
  return {
    get: (type, asked, options: ReadOptions & { subresource?: string } = {}) => {
      const key = keyWithin(type, asked);
      return run({ verb: 'get', type, key, options, subresource: options.subresource }, () => {
        const found = findEntry(state, type, key);
        if (options.subresource !== undefined && options.subresource !== 'status') throw unknownPath();
        return answer(found, options.numbers);
      });
    },
    list: <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}) =>
      run({ verb: 'list', type, key: scopeOf(options), options }, () => {
        const page = lists.page(type, options);
        const bytes = page.entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
        if (bytes > (options.bytesMax ?? Number.POSITIVE_INFINITY)) throw tooLong(type, options.bytesMax);
        const objects = page.entries.map((entry) => answer<T>(entry, options.numbers));
        const items = options.metadataOnly === true ? objects.map(metadataOf) : objects;
        const { entries: _, version, ...more } = page;
        return { items, resourceVersion: String(version), ...more } satisfies ListPage<T>;
      }),
    watch: <T extends KubeObject>(type: ResourceType<T>, options: Parameters<KubeApi['watch']>[1]) =>
      openWatch<T>(run, watches, type, options),
    create: (type, object, options = {}) => {
      const namespace = options.namespace ?? object.metadata?.namespace;
      const name = object.metadata?.name ?? '';
      const key = namespace === undefined ? { name } : { namespace, name };
      return run({ verb: 'create', type, key, options, body: object, subresource: options.subresource }, () => {
        if (type.kind === 'SubjectAccessReview') return reviewAccess(state, object as never) as never;
        if (options.subresource !== undefined) return createSubresource(state, type, key, options.subresource, object);
        return answer(createObject(state, type, object, options));
      });
    },
    update: (type, object, options = {}) => {
      const key = keyWithin(type, keyOf(object));
      return run({ verb: 'update', type, key, options, body: object, subresource: options.subresource }, () =>
        answer(updateObject(state, type, key, object, options)),
      );
    },
    patch: (type, asked, patch, options = {}) => {
      const key = keyWithin(type, asked);
      return run({ verb: 'patch', type, key, options, body: patch, subresource: options.subresource }, () =>
        answer(patchObject(state, type, key, patch, options)),
      );
    },
    delete: (type, asked, options = {}) => {
      const key = keyWithin(type, asked);
      return run({ verb: 'delete', type, key, options }, () => deleteObject(state, type, key, options));
    },
  };
}

/** The key of the object: cluster-scoped kinds have no namespace, whatever the caller passes. */
const keyWithin = (type: ResourceType, { namespace, name }: ObjectKey): ObjectKey =>
  type.namespaced && namespace !== undefined ? { namespace, name } : { name };

type Run = <R>(call: Omit<ApiCall, 'atMs'>, act: () => R) => Promise<R>;

/** A call takes at least one turn of the promise queue, because a real one never responds at once. */
function callRunner(state: ServerState, path: CallPath): Run {
  return async <R>(described: Omit<ApiCall, 'atMs'>, act: () => R): Promise<R> => {
    const { signal } = described.options as { signal?: AbortSignal };
    signal?.throwIfAborted();
    refuseKey(described);
    const call: ApiCall = { ...described, atMs: state.clock.now() };
    path.record(call);
    await Promise.resolve();
    signal?.throwIfAborted();
    const inner = async (): Promise<unknown> => {
      signal?.throwIfAborted();
      requireServed(state, call.type);
      return act();
    };
    const chain = path.interceptors.reduceRight<() => Promise<unknown>>(
      (next, interceptor) => () => interceptor(call, next),
      inner,
    );
    // An aborted caller is released at once, even while an interceptor holds the call.
    const answer = await orAborted(chain(), signal);
    signal?.throwIfAborted();
    return answer as R;
  };
}

/** Validates the call as every client does before it sends a request. @throws KUBE_BAD_REQUEST */
function refuseKey({ verb, type, key: { namespace, name = '' }, subresource }: Omit<ApiCall, 'atMs'>): void {
  if (verb === 'list' || verb === 'watch') requireScope(verb, type, namespace);
  else if (verb === 'create' && subresource === undefined) requireScope(verb, type, namespace ?? '');
  else requireKey(verb, type, { namespace, name });
}

async function* openWatch<T extends KubeObject>(
  run: Run,
  watches: Watches,
  type: ResourceType<T>,
  options: Parameters<KubeApi['watch']>[1],
): AsyncGenerator<WatchEvent<T>, void, void> {
  const events = await run({ verb: 'watch', type, key: scopeOf(options), options }, () => watches.watch(type, options));
  for await (const event of events) {
    yield event.type === 'BOOKMARK'
      ? { type: 'BOOKMARK', resourceVersion: String(event.version) }
      : { type: event.type, object: answer<T>(event.entry) };
  }
}

function findEntry(state: ServerState, type: ResourceType, key: ObjectKey): Entry {
  const found = state.store.get(typeKeyOf(type), key);
  if (found === undefined) throw notFound(type, key.name);
  return found;
}

function answer<T extends KubeObject>(result: Entry | Unstructured, numbers?: 'double' | 'exact'): T {
  const text = 'text' in result && 'typeKey' in result ? (result as Entry).text : JSON.stringify(result);
  return (numbers === 'exact' ? parseExactly(text) : JSON.parse(text)) as T;
}

const metadataOf = <T extends KubeObject>({ apiVersion, kind, metadata }: T): T =>
  ({ apiVersion, kind, metadata }) as T;

const scopeOf = (options: { namespace?: string | undefined }): Partial<ObjectKey> =>
  options.namespace === undefined ? {} : { namespace: options.namespace };

/** `eviction` removes the pod; `token` returns a token that contains its account. */
function createSubresource<T extends KubeObject>(
  state: ServerState,
  type: ResourceType,
  key: ObjectKey,
  subresource: string,
  body: T,
): T {
  findEntry(state, type, key);
  if (subresource === 'eviction') {
    deleteObject(state, type, key, {});
    return body;
  }
  if (subresource === 'token' && !kindFacts(state.store, type).custom) {
    return { ...body, status: { token: `token-of-${key.namespace}-${key.name}` } };
  }
  throw unknownPath();
}
