/** Why a request is refused, in the words that clients of the API know; undefined when it is not refused. */
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

/** Adds the prefix that the admission webhook has; clients search for the text after it. */
export const deniedByWebhook = (refusal: string): string =>
  `admission webhook "validator.longhorn.io" denied the request: ${refusal}`;

/** Adds the prefix of refusals of `POST /v1/volumes`. */
export const unableToCreateVolume = (refusal: string): string => `unable to create volume: ${refusal}`;
