import { each, integer, list, map, text } from '../field.ts';
import { type ResourceSchema, resourceSchema } from '../resource-schema.ts';

/** Types that are about the API itself. */
export const envelopeSchemas: readonly ResourceSchema[] = [
  resourceSchema('apiVersion', {}),
  resourceSchema('schema', {
    ...text('pluralName'),
    ...list('resourceMethods', 'collectionMethods'),
    ...map('resourceFields', 'resourceActions', 'collectionActions', 'collectionFields', 'collectionFilters'),
    ...list('includeableLinks'),
  }),
  resourceSchema('error', { ...integer('status'), ...each('string', 'code', 'message', 'detail') }),
  resourceSchema('empty', {}),
];
