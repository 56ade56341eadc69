import type { KubeObject, ObjectMeta } from '@lateen/api-types';

/** Parameters of every builder: only what the test is about; the rest gets valid defaults. */
export interface ObjectParts {
  name?: string;
  namespace?: string;
  uid?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  /** Overrides the fields above. */
  metadata?: ObjectMeta;
}

const namedParts = ['name', 'namespace', 'uid', 'labels', 'annotations', 'finalizers'] as const;

/** Metadata from the parts that are set. The UID is derived from kind and name, so that a test can refer to an object. */
export function builtMetadata(kind: string, defaults: ObjectParts, parts: ObjectParts): ObjectMeta {
  const metadata: ObjectMeta = {};
  for (const field of namedParts) {
    const value = parts[field] ?? defaults[field];
    if (value !== undefined) Object.assign(metadata, { [field]: value });
  }
  metadata.uid ??= `${kind.toLowerCase()}-${[metadata.namespace, metadata.name].filter(Boolean).join('-')}`;
  return { ...metadata, ...parts.metadata };
}

/** A status only when it has fields: a new object has none. */
export function withStatus<T extends KubeObject, S extends object>(object: T, status: S): T {
  const given = Object.entries(status).filter(([, value]) => value !== undefined);
  return given.length === 0 ? object : { ...object, status: Object.fromEntries(given) };
}
