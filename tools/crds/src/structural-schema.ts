/** A node of a CRD's structural OpenAPI v3 schema, with the fields that our kinds use. */
export interface StructuralSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  description?: string;
  format?: 'date-time' | 'int32' | 'int64' | 'byte';
  enum?: string[];
  nullable?: true;
  default?: unknown;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  required?: string[];
  items?: StructuralSchema;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-validations'?: { rule: string; message: string }[];
}
