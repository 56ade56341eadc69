/** A text of a user, for a message: quoted, with control characters escaped, and cut. */
export const shown = (text: string, charsMax = 80): string =>
  JSON.stringify(text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`);
