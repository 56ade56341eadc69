/** apiVersion and kind (`v1/Pod`) to sorted `namespace/name`, or `name` for cluster-scoped objects (section 5.3). */
export type ResourceList = Record<string, string[]>;
