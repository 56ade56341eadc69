/** The time that a store reports for an object, in ms since the epoch; undefined when it is not a time. */
export function timeTold(told: string | Date | undefined): number | undefined {
  const atMs = told instanceof Date ? told.getTime() : Date.parse(told ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}
