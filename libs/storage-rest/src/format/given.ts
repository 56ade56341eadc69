import type { Json } from '../envelope/resource.ts';

/** Those of the fields that are there: for what is left out when it is empty. */
export const given = <T extends Readonly<Record<string, Json | undefined>>>(fields: T): Record<string, Json> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Record<string, Json>;

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0);

export const nameOf = (object: { metadata: { name?: string } }): string => object.metadata.name ?? '';
