/**
 * Of a body the named fields: clients send a whole object back, of which the server reads what may change. What is no object stays as it is, for the reader
 * behind to refuse.
 */
export function onlyFields(body: unknown, names: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}
