export type QueryValue = string | number | boolean | undefined;

/** `?a=1&b=x%20y`, or `` when nothing is set. Undefined and empty values are left out; order is as given. */
export function queryText(values: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
