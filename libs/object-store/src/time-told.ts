/** The time that a store tells of an object, in ms since the epoch; undefined for what is none. */
export function timeTold(told: string | Date | undefined): number | undefined {
  const atMs = told instanceof Date ? told.getTime() : Date.parse(told ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}
