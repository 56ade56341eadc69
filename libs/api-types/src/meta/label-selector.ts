/**
 * A label selector: all its conditions must match. An empty selector matches every object.
 * @mapType atomic
 */
export interface LabelSelector {
  /** Labels that an object must have, with exactly these values. */
  matchLabels?: Record<string, string>;
  /**
   * Conditions for labels. All of them must match.
   * @listType atomic
   */
  matchExpressions?: LabelSelectorRequirement[];
}

/** A condition for one label. */
export interface LabelSelectorRequirement {
  /** Key of the label. */
  key: string;
  /**
   * `In`: the value is one of values. `NotIn`: it is none of them, or the label is absent. `Exists`: the label is present. `DoesNotExist`:
   * it is absent.
   */
  operator: string;
  /**
   * Values for `In` and `NotIn`, at least one. Must be empty for `Exists` and `DoesNotExist`.
   * @listType atomic
   */
  values?: string[];
}
