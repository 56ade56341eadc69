import type { StructuralSchema } from './structural-schema.ts';

/** The OpenAPI form of each alias in meta/scalars.ts of api-types and storage-types. */
export const scalarSchemas: Readonly<Record<string, StructuralSchema>> = {
  Timestamp: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  Base64: { type: 'string', format: 'byte' },
  Integer: { type: 'integer' },
  Int32: { type: 'integer', format: 'int32' },
  Int64: { type: 'integer', format: 'int64' },
  Int64Text: { type: 'string', format: 'int64' },
  TimeText: { type: 'string' },
  RawObject: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};
