import type { StructuralSchema } from './structural-schema.ts';

/** The OpenAPI form of each alias in api-types' meta/scalars.ts. */
export const scalarSchemas: Readonly<Record<string, StructuralSchema>> = {
  Timestamp: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  Base64: { type: 'string', format: 'byte' },
  Integer: { type: 'integer' },
  Int64: { type: 'integer', format: 'int64' },
  RawObject: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};
