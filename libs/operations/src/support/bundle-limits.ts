/** What a bundle holds at most; its list of contents says where a limit was reached. */
export const bundleLimits = {
  /** Objects of one kind. */
  objectsMax: 5_000,
  /** Events of a namespace. */
  eventsMax: 5_000,
  /** Pods whose logs are read. */
  podsMax: 200,
  /** Lines of one container, its last ones. */
  logLinesMax: 50_000,
  /** Characters of one log, its last ones. */
  logCharsMax: 16 * 1024 * 1024,
} as const;
