import { collectionPath } from '../schema/resource-schema.ts';
import { schemaOf } from '../schema/schemas.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonFields = Readonly<Record<string, Json>>;

/** An object of the API with its links and the actions it offers, by name and address. */
export interface Resource extends JsonFields {
  readonly id: string;
  readonly type: string;
  readonly links: Readonly<Record<string, string>>;
  readonly actions: Readonly<Record<string, string>>;
}

export interface ResourceParts {
  readonly type: string;
  readonly id: string;
  readonly fields: JsonFields;
  /** Names of the actions that are offered now. */
  readonly actions?: readonly string[];
  /** Where it is not `<collection>/<id>`. */
  readonly self?: string;
}

/** An object of the API as it is sent. Fields that its schema does not know are left out. `base` as of `linkBase`. */
export function resource({ type, id, fields, actions = [], self }: ResourceParts, base: string): Resource {
  const link = self ?? resourceUrl(type, id, base);
  const known = schemaOf(type)?.fields ?? {};
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(known, name))),
    id,
    type,
    links: { self: link },
    actions: Object.fromEntries(actions.map((name) => [name, `${link}?action=${name}`])),
  };
}

/** Address of all objects of a type. */
export function collectionUrl(type: string, base: string): string {
  const schema = schemaOf(type);
  if (schema === undefined) throw new RangeError(`there is no type ${type}`);
  return `${base}/v1/${collectionPath(schema)}`;
}

export const resourceUrl = (type: string, id: string, base: string): string =>
  `${collectionUrl(type, base)}/${encodeURIComponent(id)}`;
