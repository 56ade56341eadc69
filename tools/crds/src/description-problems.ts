/** The fewest words of a description: fewer only name the field again. */
export const descriptionWordsMin = 3;

/** The API server adds the description of ObjectMeta by itself, and refuses a CRD that has another one. */
const withoutDescription = 'metadata';

/**
 * The properties of a CRD that `kubectl explain` would not explain: without a description, with one of fewer than
 * {@link descriptionWordsMin} words, or with one that says only the words of the field's name. One line each, with the path.
 */
export function descriptionProblems(crd: unknown): string[] {
  const { spec } = crd as { spec: { versions: { schema: { openAPIV3Schema: object } }[] } };
  return spec.versions.flatMap(({ schema }) => problemsBelow(schema.openAPIV3Schema, ''));
}

interface Described {
  description?: string;
  properties?: Record<string, Described>;
  additionalProperties?: Described;
  items?: Described;
}

function problemsBelow({ properties = {}, additionalProperties, items }: Described, path: string): string[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => {
    const at = `${path}.${name}`;
    const problem = at === `.${withoutDescription}` ? undefined : problemOf(name, schema.description ?? '');
    return [...(problem === undefined ? [] : [`${at}: ${problem}`]), ...problemsBelow(schema, at)];
  });
  const inner = [additionalProperties, items].flatMap((schema) => (schema === undefined ? [] : [schema]));
  return [...own, ...inner.flatMap((schema) => problemsBelow(schema, `${path}[]`))];
}

function problemOf(name: string, description: string): string | undefined {
  if (description === '') return 'has no description';
  const words = wordsOf(description);
  if (words.length < descriptionWordsMin) return `"${description}" has fewer than ${descriptionWordsMin} words`;
  const known = new Set([...wordsOf(name), ...fillers]);
  return words.every((word) => known.has(word)) ? `"${description}" only repeats the name` : undefined;
}

const fillers = ['a', 'an', 'the', 'of', 'this', 'is', 'its'];

/** `startTimestamp` is start, timestamp; `caCertRef` is ca, cert, ref. */
const wordsOf = (text: string): string[] =>
  (text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').match(/[\p{L}\d]+/gu) ?? []).map((word) => word.toLowerCase());
