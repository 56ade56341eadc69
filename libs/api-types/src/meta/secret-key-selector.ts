/**
 * Selects one key of a Secret in the same namespace.
 * @mapType atomic
 */
export interface SecretKeySelector {
  /** Key of the Secret to read. */
  key: string;
  /**
   * Name of the Secret. Always set it; an empty name is accepted only for old objects.
   * @default ""
   */
  name?: string;
  /** Whether the Secret or the key may be missing. */
  optional?: boolean;
}
