/** The parts of a structural schema that decide which values an object must and can have. */
export interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  'x-kubernetes-int-or-string'?: boolean;
}

/** The smallest value that satisfies a schema: required fields only. */
export function minimalValue(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, minimalValue(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'string':
      return schema.format === 'date-time' ? '2030-01-01T00:00:00Z' : 'x'.repeat(schema.minLength ?? 1);
    default:
      throw new Error(`no value for a schema of type ${schema.type}`);
  }
}
