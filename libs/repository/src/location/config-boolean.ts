import { locationInvalid } from './location-invalid.ts';

/** What the reference takes for a boolean in spec.config (Go, strconv.ParseBool). */
const forms: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text): [string, boolean] => [text, true]),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text): [string, boolean] => [text, false]),
]);

/** A boolean of spec.config; undefined when it is absent or empty. @throws LOCATION_INVALID */
export function configBoolean(config: Readonly<Record<string, string>>, key: string): boolean | undefined {
  const text = config[key];
  if (text === undefined || text === '') return undefined;
  const value = forms.get(text);
  if (value !== undefined) return value;
  throw locationInvalid(
    `config.${key} ${JSON.stringify(text.slice(0, 40))} is not a boolean`,
    'Write "true" or "false".',
  );
}
