/**
 * Reference to one key of a Secret in the same namespace.
 * @mapType atomic
 */
export interface SecretKeySelector {
  /** Key in the Secret's data. */
  key: string;
  /**
   * Name of the Secret. Always set it: an empty name is accepted only so that old objects stay valid.
   * @default ""
   */
  name?: string;
  /** Whether the Secret or the key may be missing. Default: `false`. */
  optional?: boolean;
}
