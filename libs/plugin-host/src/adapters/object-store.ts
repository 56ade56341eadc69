import { AppError, isAppError } from '@lateen/errors';
import { type ByteRange, checkedKeys, type ObjectStore } from '@lateen/object-store';
import { objectStore as wire } from '@lateen/plugin-protocol';
import type { PluginCallOptions, PluginStream } from '../calls/plugin-call.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import type { ConfiguredPlugin } from './configured-plugin.ts';
import { cutToRange, ObjectSource, type Pieces } from './object-pieces.ts';

export const objectStoreService = (process: PluginProcess) =>
  process.client<wire.ObjectStoreServer>(wire.ObjectStoreClient);
type Service = ReturnType<typeof objectStoreService>;

/** For calls without a caller's signal. */
const never = new AbortController().signal;
const msPerSecond = 1_000;
const nanosPerSecond = 1_000_000_000n;

export interface PluginStoreOptions {
  /** Name of the plugin. */
  plugin: string;
  bucket: string;
  /** The plugin, after it got its config. */
  configured: ConfiguredPlugin;
}

/**
 * A plugin of kind ObjectStore as the port. The protocol reports no sizes and no times (sizes are NaN), lists all keys in one answer, and reads
 * objects from their beginning. When a write is aborted, its program reads an error, never the end of the object; whether it keeps a part is up to
 * the program.
 */
export function pluginObjectStore({ plugin, bucket, configured }: PluginStoreOptions): ObjectStore {
  const { ask, exists, read, write } = storeCalls({ plugin, bucket, configured });
  return checkedKeys({
    listCommonPrefixes: async (prefix, { signal } = {}) => {
      const request = { plugin, bucket, delimiter: '/', prefix };
      const { prefixes } = await ask(
        'ListCommonPrefixes',
        (of, options) => of.listCommonPrefixes(request, options),
        signal,
      );
      return prefixes.map((one) => one.slice(prefix.length).replace(/\/$/, '')).sort();
    },
    list: async function* (prefix, { signal } = {}) {
      const request = { plugin, bucket, prefix };
      const { keys } = await ask('ListObjects', (of, options) => of.listObjects(request, options), signal);
      for (const key of [...keys].sort()) yield { key, sizeBytes: Number.NaN };
    },
    exists: (key, { signal } = {}) => exists(key, signal),
    get: async (key, { signal } = {}) => Buffer.concat(await Array.fromAsync(read(key, undefined, signal))),
    read: (key, { range, signal } = {}) => read(key, range, signal),
    put: (key, body, { signal } = {}) => write(key, [body], signal),
    write: (key, pieces, { signal } = {}) => write(key, pieces, signal),
    endAbandonedWrites: async () => 0,
    delete: async (key, { signal } = {}) => {
      await ask('DeleteObject', (of, options) => of.deleteObject({ plugin, bucket, key }, options), signal);
    },
    signedUrl: async (key, { ttlMs, signal }) => {
      const request = { plugin, bucket, key, ttl: BigInt(Math.ceil(ttlMs / msPerSecond)) * nanosPerSecond };
      return (await ask('CreateSignedURL', (of, options) => of.createSignedUrl(request, options), signal)).url;
    },
    close: () => configured.close(),
  });
}

/** The calls that the methods of the port are made of. */
function storeCalls({ plugin, bucket, configured }: PluginStoreOptions) {
  const failure = (cause: unknown) =>
    new AppError('OBJECT_STORE_UNAVAILABLE', `${placeOf(plugin, bucket)} cannot be used`, { retry: 'later', cause });
  const ask = async <T>(
    method: string,
    run: (service: Service, options: PluginCallOptions) => Promise<T>,
    signal: AbortSignal = never,
  ): Promise<T> => {
    try {
      return await configured.ask(method, (process, options) => run(objectStoreService(process), options), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw failure(error);
    }
  };
  const exists = async (key: string, signal?: AbortSignal): Promise<boolean> =>
    (await ask('ObjectExists', (of, options) => of.objectExists({ plugin, bucket, key }, options), signal)).exists;
  async function* read(key: string, range: ByteRange | undefined, signal = never): AsyncGenerator<Uint8Array> {
    const open: PluginStream<wire.Bytes>['open'] = (process, options) =>
      objectStoreService(process).getObject({ plugin, bucket, key }, options);
    const pieces = configured.stream('GetObject', open, signal);
    try {
      yield* cutToRange(pieces, range, `object "${key}"`, placeOf(plugin, bucket));
    } catch (error) {
      signal.throwIfAborted();
      if (isAppError(error, 'OBJECT_TOO_SHORT')) throw error;
      // Errors of plugins are only text, so a call finds out whether the object exists.
      const isThere = await exists(key, signal).catch(() => true);
      throw isThere ? failure(error) : missing(key, plugin, bucket);
    }
  }
  const write = async (key: string, pieces: Pieces, signal?: AbortSignal): Promise<void> => {
    const source = new ObjectSource({ plugin, bucket, key }, pieces);
    const put = ask('PutObject', (of, options) => of.putObject(source.requests(options.touch), options), signal);
    await put.catch((error: unknown) => {
      throw source.failed ? source.error : error;
    });
  };
  return { ask, exists, read, write };
}

const placeOf = (plugin: string, bucket: string): string => `bucket "${bucket}" of plugin ${plugin}`;

const missing = (key: string, plugin: string, bucket: string): AppError =>
  new AppError('OBJECT_NOT_FOUND', `there is no object "${key}" in ${placeOf(plugin, bucket)}`);
