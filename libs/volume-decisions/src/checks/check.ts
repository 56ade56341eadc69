/** Why something is refused, in the words that clients of the API know; undefined when it is not. */
export type Refusal = string | undefined;

export type Check<Seen> = (seen: Seen) => Refusal;

/** The first check that refuses; their order is policy. */
export function firstRefusal<Seen>(checks: readonly Check<Seen>[], seen: Seen): Refusal {
  for (const check of checks) {
    const refusal = check(seen);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The words around what the admission webhook refuses; clients look for what is behind them. */
export const deniedByWebhook = (refusal: string): string =>
  `admission webhook "validator.longhorn.io" denied the request: ${refusal}`;

/** The words around what `POST /v1/volumes` refuses. */
export const unableToCreateVolume = (refusal: string): string => `unable to create volume: ${refusal}`;
