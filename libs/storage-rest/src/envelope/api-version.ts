import { schemas } from '../schema/schemas.ts';
import { type Collection, collection } from './collection.ts';
import { collectionUrl, type Resource } from './resource.ts';

/** Body of `/v1` and `/v1/apiversions/v1`: where the collections are. Types without a route are listed too; their links lead to 404. */
export function apiVersion(base: string): Resource {
  const listed = schemas.filter(({ collectionMethods }) => collectionMethods.includes('GET'));
  const links = listed.map(({ id, pluralName }) => [pluralName, collectionUrl(id, base)]);
  return { id: 'v1', type: 'apiVersion', links: Object.fromEntries(links), actions: {} };
}

/** Body of `/` and `/v1/apiversions`. */
export function apiVersions(base: string): Collection {
  const one: Resource = { id: 'v1', type: 'apiVersion', links: { self: `${base}/v1` }, actions: {} };
  const all = collection('apiVersion', [one], base);
  return { ...all, links: { ...all.links, latest: `${base}/v1` } };
}
