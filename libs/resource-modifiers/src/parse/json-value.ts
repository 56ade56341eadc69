import { isJsonObject, parseExact } from '@lateen/kube';
import { CORE_SCHEMA, floatCoreTag, intCoreTag, load } from 'js-yaml';
import type { JsonMap } from '../resource-modifiers.ts';

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

/**
 * The value of a JSON patch, which is written as a text whatever it is: `"2"` is a number, `"true"` a boolean, what begins with a bracket is
 * JSON, and everything else is a text. A text that would read as something else is written with quotes of its own: `"\"2\""`.
 * @throws an error that says what is wrong with JSON in it
 */
export function patchValue(text: string): unknown {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const isJson = text.startsWith('{') || text.startsWith('[') || isQuoted;
  return isJson || ['null', 'true', 'false'].includes(text) || jsonNumber.test(text) ? parseExact(text) : text;
}

const keepsNumbers = (tag: typeof intCoreTag) => ({
  ...tag,
  resolve: (source: string, isExplicit: boolean, tagName: string): unknown => {
    const value = tag.resolve(source, isExplicit, tagName);
    return typeof value === 'number' && jsonNumber.test(source) ? parseExact(source) : value;
  },
});

const exactSchema = CORE_SCHEMA.withTags(keepsNumbers(intCoreTag), keepsNumbers(floatCoreTag));

/** Deeper and with more references than any patch a person writes. */
const yamlLimits = { maxDepth: 50, maxAliases: 100 } as const;

/** The `patchData` of a merge patch: YAML or JSON, whose numbers are kept as they are written. @throws likewise */
export function patchData(text: string): JsonMap {
  const data = load(text, { schema: exactSchema, ...yamlLimits });
  if (!isJsonObject(data)) throw new Error('it is not a map');
  return data;
}
