/** A path into an object: names of fields, `*` for each element of a list or each field of an object. */
export type FieldPath = readonly string[];

/** `spec.volumes.*.secret.secretName`. */
export const fieldPath = (text: string): FieldPath => text.split('.');

/** The values at the path, in order; none when the object has another form. Pure. */
export function* valuesAt(value: unknown, path: FieldPath, from = 0): Generator<unknown> {
  const step = path[from];
  if (step === undefined) yield value;
  else if (typeof value !== 'object' || value === null) return;
  else if (step === '*') for (const each of Object.values(value)) yield* valuesAt(each, path, from + 1);
  else if (Object.hasOwn(value, step)) yield* valuesAt((value as Record<string, unknown>)[step], path, from + 1);
}
