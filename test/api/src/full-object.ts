import type { Schema } from './minimal-object.ts';

/** A value with every field of a schema, each with an extreme value of its type. With `nulls`, nullable fields are null. */
export function fullValue(schema: Schema, nulls = false): unknown {
  if (nulls && schema.nullable === true) return null;
  if (schema.enum !== undefined) return schema.enum.findLast((word) => word !== '') ?? '';
  switch (schema.type) {
    case 'object':
      return fullObject(schema, nulls);
    case 'array':
      return [fullValue(schema.items ?? {}, nulls)];
    case 'boolean':
      return true;
    case 'integer':
      return schema.maximum ?? (schema.format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER);
    case 'string':
      return fullText(schema.format);
    default:
      throw new Error(`no value for a schema of type ${schema.type}`);
  }
}

function fullObject({ properties, additionalProperties }: Schema, nulls: boolean): Record<string, unknown> {
  if (additionalProperties !== undefined) return { 'a-key': fullValue(additionalProperties, nulls) };
  const fields = Object.entries(properties ?? {}).map(([name, inner]) => [name, fullValue(inner, nulls)] as const);
  return Object.fromEntries(fields);
}

function fullText(format: string | undefined): string {
  if (format === 'date-time') return '2030-01-01T00:00:00Z';
  // Larger than a double can represent exactly.
  return format === 'int64' ? '9223372036854775807' : 'text';
}
