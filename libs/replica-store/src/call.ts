/** What every call takes. An abort leaves what was begun to the next call on the same replica. */
export interface Call {
  readonly signal: AbortSignal;
}
