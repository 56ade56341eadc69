/** What clients know of a field: its type in the words of the API, and what it is for at creation. Whatever is false or unset is left out. */
export interface Field {
  readonly type: string;
  readonly default?: string | number | boolean;
  readonly unique?: true;
  readonly nullable?: true;
  readonly create?: true;
  readonly required?: true;
  readonly update?: true;
}
export type Fields = Readonly<Record<string, Field>>;

/** Fields of one type. */
export const each = <Name extends string>(type: string, ...names: readonly Name[]): Record<Name, Field> =>
  Object.fromEntries(names.map((name) => [name, { type }])) as Record<Name, Field>;

export const text = <Name extends string>(...names: readonly Name[]) => each('string', ...names);
export const integer = <Name extends string>(...names: readonly Name[]) => each('int', ...names);
export const flag = <Name extends string>(...names: readonly Name[]) => each('bool', ...names);
export const map = <Name extends string>(...names: readonly Name[]) => each('map[string]', ...names);
export const list = <Name extends string>(...names: readonly Name[]) => each('array[string]', ...names);

type Mark = 'C' | 'R' | 'U' | 'N';
const marks = { C: 'create', R: 'required', U: 'unique', N: 'nullable' } as const;

/** A field that clients fill in: C is given at creation, R must be, U names the object, N may be null. */
export function marked(type: string, letters: `${Mark}${string}`, value?: string | number | boolean): Field {
  const set = [...letters].map((letter) => [marks[letter as Mark], true]);
  return { type, ...(value === undefined ? {} : { default: value }), ...Object.fromEntries(set) };
}

/** What every resource has besides its own fields. */
export const resourceFields: Fields = { ...text('id', 'type'), ...map('links', 'actions') };
