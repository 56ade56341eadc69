/** The options of every call. After an abort, the next call on the same replica finishes or undoes what was begun. */
export interface Call {
  readonly signal: AbortSignal;
}
