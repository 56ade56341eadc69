/** Longest text that an error message repeats. */
const charsMax = 120;

/** Characters that JSON does not escape, although they control a terminal or are invisible. */
const unseen = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text from the command line for a message: in quotes, on one line, with everything escaped that is no plain character, and cut. */
export function quoted(text: string): string {
  const characters = [...text];
  const cut = characters.length > charsMax ? `${characters.slice(0, charsMax).join('')}…` : text;
  return JSON.stringify(cut).replace(
    unseen,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
