import type { ResourceSchema } from './resource-schema.ts';
import { backupSchemas } from './table/backup-schemas.ts';
import { envelopeSchemas } from './table/envelope-schemas.ts';
import { inputSchemas } from './table/input-schemas.ts';
import { nodeSchemas } from './table/node-schemas.ts';
import { volumeSchemas } from './table/volume-schemas.ts';

/** Every type of the API, sorted by name (longhorn-api.md section 3). */
export const schemas: readonly ResourceSchema[] = [
  ...envelopeSchemas,
  ...volumeSchemas,
  ...nodeSchemas,
  ...backupSchemas,
  ...inputSchemas,
].sort((a, b) => (a.id < b.id ? -1 : 1));

const byId: ReadonlyMap<string, ResourceSchema> = new Map(schemas.map((schema) => [schema.id.toLowerCase(), schema]));

/** The type of this name, in whatever case; undefined when there is none. */
export const schemaOf = (id: string): ResourceSchema | undefined => byId.get(id.toLowerCase());
