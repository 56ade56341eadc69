/** The limits of a bundle; its list of contents says where a limit was reached. */
export const bundleLimits = {
  /** Objects of one kind. */
  objectsMax: 5_000,
  /** Events of a namespace. */
  eventsMax: 5_000,
  /** Pods whose logs are read. */
  podsMax: 200,
  /** The last lines of one container. */
  logLinesMax: 50_000,
  /** The last characters of one log. */
  logCharsMax: 16 * 1024 * 1024,
} as const;
