import type { StructuralSchema } from './structural-schema.ts';

/** Adds what a marker says to a schema. Returns what is wrong with it, as the end of a sentence that starts with the marker's name. */
export type Marker = (schema: StructuralSchema, value: string) => string | undefined;

/** Information in doc comments that TypeScript cannot express, by the name after the @. */
export const markers: Readonly<Record<string, Marker>> = {
  /** A note that is not copied to the CRD. */
  see: () => undefined,
  default: (schema, value) => {
    try {
      schema.default = JSON.parse(value);
      return undefined;
    } catch {
      return `needs a JSON value, not ${value === '' ? 'nothing' : value}`;
    }
  },
  minItems: (schema, value) => bound(schema, 'array', 'minItems', value),
  minLength: (schema, value) => bound(schema, 'string', 'minLength', value),
  minimum: (schema, value) => bound(schema, 'integer', 'minimum', value),
  maximum: (schema, value) => bound(schema, 'integer', 'maximum', value),
  /** Numbers as strings: the API server checks their format, unless a list of words is given. */
  format: (schema, value) => {
    if (schema.type !== 'string') return 'is for texts; write Int32 or Int64 for a number';
    if (value !== 'int32' && value !== 'int64') return 'is int32 or int64';
    schema.format = value;
    return undefined;
  },
  listType: (schema, value) => {
    if (!['atomic', 'set', 'map'].includes(value)) return 'is atomic, set or map';
    schema['x-kubernetes-list-type'] = value;
    return undefined;
  },
  mapType: (schema, value) => {
    if (!['atomic', 'granular'].includes(value)) return 'is atomic or granular';
    schema['x-kubernetes-map-type'] = value;
    return undefined;
  },
  preserveUnknownFields: (schema) => {
    schema['x-kubernetes-preserve-unknown-fields'] = true;
    return undefined;
  },
  /** Lateen uses only these words, but the API server accepts any. */
  unchecked: (schema) => {
    if (schema.enum === undefined) return 'is for lists of words';
    delete schema.enum;
    return undefined;
  },
  immutable: (schema, value) => validation(schema, 'self == oldSelf', value),
  /** 0 means that the value is not set yet. */
  immutableOnceSet: (schema, value) => validation(schema, 'oldSelf == 0 || self == oldSelf', value),
};

type Bound = 'minItems' | 'minLength' | 'minimum' | 'maximum';

function bound(schema: StructuralSchema, type: StructuralSchema['type'], name: Bound, value: string) {
  if (!/^\d+$/.test(value)) return 'needs a number from 0';
  if (schema.type !== type) return `is not for type ${schema.type}`;
  schema[name] = Number(value);
  return undefined;
}

function validation(schema: StructuralSchema, rule: string, message: string) {
  if (message === '') return 'needs the message that a change is answered with';
  schema['x-kubernetes-validations'] = [...(schema['x-kubernetes-validations'] ?? []), { message, rule }];
  return undefined;
}
