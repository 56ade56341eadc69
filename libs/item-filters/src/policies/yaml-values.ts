import type { YamlNode } from './yaml-tree.ts';

/** An invalid value in a policy file. */
export class PolicyFileError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'PolicyFileError';
    this.line = line;
  }
}

/** Converts a YAML node into a value. `where` names it in errors: `volumePolicies[0].action`. @throws PolicyFileError */
export type ReadValue<T> = (node: YamlNode, where: string) => T;

/** An empty value, `null` or `~` counts as if the key were absent. A quoted `null` is a string. */
export const isNothing = (node: YamlNode): boolean =>
  node.kind === 'text' && (node.text === '' || (node.isQuoted !== true && ['~', 'null'].includes(node.text)));

export const readText: ReadValue<string> = (node, where) => {
  if (node.kind !== 'text') throw new PolicyFileError(node.line, `${where} must be a string`);
  return node.text;
};

export function readList<T>(read: ReadValue<T>): ReadValue<T[]> {
  return (node, where) => {
    if (isNothing(node)) return [];
    if (node.kind !== 'list') throw new PolicyFileError(node.line, `${where} must be a list`);
    return node.items.map((item, index) => read(item, `${where}[${index}]`));
  };
}

export const readTexts = readList(readText);

/** Any value: strings, lists and maps of them. */
export const readAnything: ReadValue<unknown> = (node, where) => {
  if (node.kind === 'list') return node.items.map((item) => readAnything(item, where));
  if (node.kind === 'map')
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, readAnything(value, where)]));
  return node.text;
};

export function readMapOf<T>(read: ReadValue<T>): ReadValue<Record<string, T>> {
  return (node, where) => {
    if (isNothing(node)) return {};
    if (node.kind !== 'map') throw new PolicyFileError(node.line, `${where} must be a map`);
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, read(value, `${where}.${key}`)]));
  };
}

/** Labels, attributes. */
export const readTextMap = readMapOf(readText);

/** An object with known keys only; the result has the keys with a value. */
export function readObject<T extends object>(
  readers: { readonly [Key in keyof T]: ReadValue<T[Key]> },
): ReadValue<Partial<T>> {
  const known = Object.keys(readers);
  return (node, where) => {
    if (isNothing(node)) return {};
    const inside = where === '' ? '' : `${where}.`;
    if (node.kind !== 'map')
      throw new PolicyFileError(node.line, `${where === '' ? 'the policy' : where} must be a map`);
    const result: Record<string, unknown> = {};
    for (const { key, line, value } of node.entries) {
      const read = Object.hasOwn(readers, key) ? readers[key as keyof T] : undefined;
      if (read === undefined) {
        throw new PolicyFileError(line, `unknown key "${inside}${key}"; known here: ${known.join(', ')}`);
      }
      if (!isNothing(value)) result[key] = read(value, `${inside}${key}`);
    }
    return result as Partial<T>;
  };
}
