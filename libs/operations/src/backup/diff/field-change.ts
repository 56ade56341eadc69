/** One value that differs. `before` is absent for what was added, `after` for what was removed. */
export interface FieldChange {
  /** Keys from the top; a number is a place in a list, `[name=web]` an entry that is known by a key of its own. */
  path: readonly (string | number)[];
  before?: unknown;
  after?: unknown;
}
