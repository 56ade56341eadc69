/** Collects a flag of `key=value` pairs that may be given more than once: the pairs of all of them. */
export const collectPairs = (text: string, before: string | undefined): string =>
  before === undefined ? text : `${before},${text}`;
