/** The value of a header; the first where an answer repeats it. */
export const oneHeader = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];
