import { collection, type Resource } from '@lateen/storage-rest';
import { type Listing, listings } from '../reading/listings.ts';
import type { StorageReader } from '../reading/storage-reader.ts';
import { type Endpoint, longhornNeed, type Need, type RestAnswer, type Route } from '../serving/rest-call.ts';
import { missing } from './missing.ts';

/** A collection as it is answered and as its stream sends it. */
export function wholeCollection(path: string, { type, list }: Listing, reader: StorageReader, base: string): object {
  const self = isOwnPath(path) ? `${base}/v1/${path}` : undefined;
  return collection(type, list(reader, base), base, self);
}

const isOwnPath = (path: string): boolean => listings[path]?.path !== undefined;

/** The permission to read a collection: on its kind, or, for a collection without a kind here, on its name in Longhorn. */
export function readNeed(path: string, verb: 'get' | 'list'): Need {
  if (path === 'events') return { verb, group: '', resource: 'events' };
  if (path === 'disktags' || path === 'nodetags') return longhornNeed('list', 'nodes');
  return longhornNeed(verb, path);
}

/** The answer to a change of a whole collection. */
export function collectionAnswer(path: string, reader: StorageReader, base: string): RestAnswer {
  const listing = listings[path];
  if (listing === undefined) throw new RangeError(`there is no collection ${path}`);
  return { body: wholeCollection(path, listing, reader, base) };
}

export function listEndpoint(path: string): Endpoint {
  return { needs: [readNeed(path, 'list')], handle: ({ base }, { reader }) => collectionAnswer(path, reader, base) };
}

export function oneEndpoint(
  path: string,
  otherwise: (name: string, base: string) => Resource | undefined = () => undefined,
): Endpoint {
  const listing = listings[path];
  if (listing === undefined) throw new RangeError(`there is no collection ${path}`);
  return {
    needs: [readNeed(path, 'get')],
    handle: ({ name, base }, { reader }) => {
      const body = listing.one(reader, name, base) ?? otherwise(name, base);
      if (body === undefined) throw missing(path, name);
      return { body };
    },
  };
}

/** A collection that is only read. */
const readOnly = (path: string): Route[] => [
  { path: `/v1/${path}`, methods: { GET: listEndpoint(path) } },
  { path: `/v1/${path}/:name`, methods: { GET: oneEndpoint(path) } },
];

export const readOnlyRoutes: readonly Route[] = [
  ...['instancemanagers', 'volumeattachments', 'shards', 'shardgroups'].flatMap(readOnly),
  ...['events', 'disktags', 'nodetags'].map((path) => ({ path: `/v1/${path}`, methods: { GET: listEndpoint(path) } })),
];
