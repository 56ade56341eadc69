/** One value that differs. `before` is absent for an added value, `after` for a removed one. */
export interface FieldChange {
  /** Keys from the top; a number is an index of a list, `[name=web]` an entry with its own key. */
  path: readonly (string | number)[];
  before?: unknown;
  after?: unknown;
}
