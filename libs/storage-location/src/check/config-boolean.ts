import { parseBoolean } from '@lateen/kernel';
import { locationInvalid } from './location-invalid.ts';

/** A boolean of spec.config; undefined when it is absent or empty. @throws LOCATION_INVALID */
export function configBoolean(config: Readonly<Record<string, string>>, key: string): boolean | undefined {
  const text = config[key];
  if (text === undefined || text === '') return undefined;
  const value = parseBoolean(text);
  if (value !== undefined) return value;
  throw locationInvalid(
    `config.${key} ${JSON.stringify(text.slice(0, 40))} is not a boolean`,
    'Write "true" or "false".',
  );
}
