import type { Container } from './container.ts';

/** Those of the fields that the object has: what a pod made from another's template takes over. */
export function presentFields<T extends object, K extends keyof T>(object: T, keys: readonly K[]): Pick<T, K> {
  const present = keys.filter((key) => object[key] !== undefined);
  return Object.fromEntries(present.map((key) => [key, object[key]])) as Pick<T, K>;
}

/** Those of the labels or annotations that have one of the keys. */
export const pickKeys = (
  from: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Record<string, string> => Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => keys.includes(key)));

/** `--log-level=…` and `--log-format=…`, as far as the container has them, as two words or one. */
export const logArguments = (container: Container): string[] =>
  ['--log-level', '--log-format'].flatMap((flag) => flagArgument(container, flag));

/** Finds `--flag value` and `--flag=value`; yields the second form. */
function flagArgument(container: Container, flag: string): string[] {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  const joined = words.find((word) => word.startsWith(`${flag}=`));
  if (joined !== undefined) return [joined];
  const value = words[words.indexOf(flag) + 1];
  return words.includes(flag) && value !== undefined ? [`${flag}=${value}`] : [];
}
