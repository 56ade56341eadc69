import { FieldError } from './config-field.ts';

export const compressionMethods = ['none', 'lz4', 'gzip'] as const;
export type CompressionMethod = (typeof compressionMethods)[number];

/** Files of before the field existed. */
export const methodWhenAbsent: CompressionMethod = 'gzip';

export function methodNamed(text: string): CompressionMethod {
  const method = compressionMethods.find((each) => each === text);
  if (method === undefined)
    throw new FieldError('its blocks are compressed by a method that this version does not know');
  return method;
}
