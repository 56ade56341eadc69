import { type Fields, resourceFields } from './field.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Names of the types that an action takes and gives; some name types that are not there, as clients have always seen it. */
export interface ActionTypes {
  readonly input?: string;
  readonly output?: string;
}

/** One type of the API: what its objects have, and what can be done with them and with all of them. */
export interface ResourceSchema {
  readonly id: string;
  readonly pluralName: string;
  readonly collectionMethods: readonly Method[];
  readonly resourceMethods: readonly Method[];
  readonly fields: Fields;
  readonly actions: Readonly<Record<string, ActionTypes>>;
}

type Parts = Partial<Pick<ResourceSchema, 'collectionMethods' | 'resourceMethods' | 'actions'>>;

/** A type with the links and actions that every resource has. Types without a route say GET too: their links lead to 404. */
export const resourceSchema = (id: string, fields: Fields, parts: Parts = {}): ResourceSchema =>
  plainSchema(id, { ...fields, ...resourceFields }, parts);

/** A type that is only a part or an argument of others. */
export const plainSchema = (id: string, fields: Fields, parts: Parts = {}): ResourceSchema => ({
  id,
  pluralName: pluralOf(id),
  collectionMethods: ['GET'],
  resourceMethods: ['GET'],
  actions: {},
  ...parts,
  fields,
});

export const pluralOf = (id: string): string => (/(s|ch|x)$/.test(id) ? `${id}es` : `${id}s`);

/** The last part of a collection's path. */
export const collectionPath = ({ pluralName }: Pick<ResourceSchema, 'pluralName'>): string => pluralName.toLowerCase();
