/**
 * Selects objects by their labels; all conditions must hold. An empty selector selects every object.
 * @mapType atomic
 */
export interface LabelSelector {
  /** Labels an object must have with exactly these values. */
  matchLabels?: Record<string, string>;
  /**
   * Conditions on labels.
   * @listType atomic
   */
  matchExpressions?: LabelSelectorRequirement[];
}

/** One condition on a label. */
export interface LabelSelectorRequirement {
  /** Key of the label. */
  key: string;
  /** One of In, NotIn, Exists and DoesNotExist. */
  operator: string;
  /**
   * Values to compare with; at least one for In and NotIn, none for the others.
   * @listType atomic
   */
  values?: string[];
}
