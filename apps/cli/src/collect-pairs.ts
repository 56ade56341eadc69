/** For flags of `key=value` pairs that may be given more than once: all of them, as if they had been given at once. */
export const collectPairs = (text: string, before: string | undefined): string =>
  before === undefined ? text : `${before},${text}`;
