import type { ResourceSchema } from '../schema/resource-schema.ts';
import { schemaOf, schemas } from '../schema/schemas.ts';
import { type Collection, collection } from './collection.ts';
import { collectionUrl, type Json, type Resource, resourceUrl } from './resource.ts';

/** Header that tells clients where the schemas are. */
export const schemasHeader = (base: string): { name: string; value: string } => ({
  name: 'X-API-Schemas',
  value: `${base}/v1/schemas`,
});

function schemaBody(schema: ResourceSchema, base: string): Resource {
  const { id, pluralName, resourceMethods, collectionMethods, fields, actions } = schema;
  const listed = collectionMethods.includes('GET') ? { collection: collectionUrl(id, base) } : {};
  return {
    id,
    type: 'schema',
    links: { self: resourceUrl('schema', id, base), ...listed },
    actions: {},
    pluralName,
    resourceMethods,
    collectionMethods,
    resourceFields: fields as unknown as Json,
    resourceActions: actions as unknown as Json,
  };
}

/** Body of `/v1/schemas`. */
export const schemaCollection = (base: string): Collection =>
  collection(
    'schema',
    schemas.map((schema) => schemaBody(schema, base)),
    base,
  );

/** Body of `/v1/schemas/<id>`, in whatever case; of one that is not there only links, with status 200. */
export function oneSchema(id: string, base: string): Resource | { links: Record<string, string> } {
  const schema = schemaOf(id);
  return schema === undefined ? { links: { self: resourceUrl('schema', id, base) } } : schemaBody(schema, base);
}
