export { apiVersion, apiVersions } from './envelope/api-version.ts';
export { type Collection, collection } from './envelope/collection.ts';
export { linkBase, type RequestAddress } from './envelope/link-base.ts';
export { collectionUrl, type Json, type JsonFields, type Resource, resourceUrl } from './envelope/resource.ts';
export { oneSchema, schemaCollection, schemasHeader } from './envelope/schema-body.ts';
export { type ErrorAnswer, type ErrorBody, notFound, refused, toErrorBody } from './errors/error-body.ts';
export type { Field, Fields } from './schema/field.ts';
export type { ActionTypes, Method, ResourceSchema } from './schema/resource-schema.ts';
export { schemaOf, schemas } from './schema/schemas.ts';
export {
  type AnswerKind,
  type Offered,
  type VolumeActionRow,
  volumeActionRows,
} from './schema/volume-action-row.ts';
