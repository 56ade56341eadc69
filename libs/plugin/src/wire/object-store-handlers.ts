import { AppError } from '@lateen/errors';
import type { CallContext, ServiceHandlers } from '@lateen/grpc';
import type { objectStore } from '@lateen/plugin-protocol';
import type { ContextOf } from '../context/action-contexts.ts';
import type { ObjectStore } from '../contract/object-store.ts';
import type { Plugin } from '../define-plugin.ts';
import { offered } from './found-action.ts';
import { MadeInstances } from './made-instances.ts';

/** Pieces of an object on their way out; hosts in Go take 4 MiB at once, and answer with less. */
const pieceBytesMax = 256 * 1024;

/** ObjectStores over the wire. */
export function objectStoreHandlers(
  plugin: Plugin,
  contextOf: ContextOf,
): ServiceHandlers<objectStore.ObjectStoreServer> {
  const instances = new MadeInstances<ObjectStore>();
  const find = (name: string, call: CallContext) => {
    const { offer, part } = offered(plugin, 'ObjectStore', name, plugin.objectStores);
    return { make: part, context: contextOf(offer, call) };
  };
  const use = (name: string, call: CallContext) => {
    const { context } = find(name, call);
    return { store: instances.get(name), context };
  };
  return {
    init: async ({ plugin: name, config }, call) => {
      const { make, context } = find(name, call);
      await instances.init(make, config, context);
      return {};
    },
    putObject: async (requests, call) => {
      const { first, body } = await bodyOf(requests);
      const { store, context } = use(first.plugin, call);
      await store.putObject({ bucket: first.bucket, key: first.key, body }, context);
      return {};
    },
    objectExists: async ({ plugin: name, bucket, key }, call) => {
      const { store, context } = use(name, call);
      return { exists: await store.objectExists({ bucket, key }, context) };
    },
    getObject: async function* ({ plugin: name, bucket, key }, call) {
      const { store, context } = use(name, call);
      for await (const data of await store.getObject({ bucket, key }, context)) yield* pieces(data);
    },
    listCommonPrefixes: async ({ plugin: name, bucket, prefix, delimiter }, call) => {
      const { store, context } = use(name, call);
      return { prefixes: [...(await store.listCommonPrefixes({ bucket, prefix, delimiter }, context))] };
    },
    listObjects: async ({ plugin: name, bucket, prefix }, call) => {
      const { store, context } = use(name, call);
      return { keys: [...(await store.listObjects({ bucket, prefix }, context))] };
    },
    deleteObject: async ({ plugin: name, bucket, key }, call) => {
      const { store, context } = use(name, call);
      await store.deleteObject({ bucket, key }, context);
      return {};
    },
    createSignedUrl: async ({ plugin: name, bucket, key, ttl }, call) => {
      const { store, context } = use(name, call);
      // Go's durations are in nanoseconds.
      return { url: await store.createSignedUrl({ bucket, key, ttlMs: Number(ttl / 1_000_000n) }, context) };
    },
  };
}

type PutObjectRequest = objectStore.PutObjectRequest;

/** The first request says whose body it is; its own piece of it and those of all that follow are the body. */
async function bodyOf(
  requests: AsyncIterable<PutObjectRequest>,
): Promise<{ first: PutObjectRequest; body: AsyncIterable<Uint8Array> }> {
  const iterator = requests[Symbol.asyncIterator]();
  const { value: first, done } = await iterator.next();
  if (done) {
    // An empty object has no first request from hosts in Go, so its name is not known.
    throw new AppError('PLUGIN_REQUEST_UNREADABLE', 'the request to store an object ended before it named one');
  }
  const rest = { [Symbol.asyncIterator]: () => iterator };
  async function* body() {
    if (first.body.length > 0) yield first.body;
    for await (const { body: piece } of rest) yield piece;
  }
  return { first, body: body() };
}

function* pieces(data: Uint8Array): Generator<{ data: Buffer }> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (let from = 0; from < bytes.length; from += pieceBytesMax)
    yield { data: bytes.subarray(from, from + pieceBytesMax) };
}
