/** The facts of an object that filters check. */
export interface ItemFacts {
  /** `deployments.apps`; `pods` for the core group. */
  groupResource: string;
  kind: string;
  namespaced: boolean;
  /** Absent for cluster-scoped objects. */
  namespace?: string | undefined;
  name: string;
  labels?: Readonly<Record<string, string>> | undefined;
  /** Whether the object has a deletion timestamp. */
  isTerminating: boolean;
}

/** How the backup or restore came upon an item. Absent: a list contains it. */
export interface ItemOrigin {
  /** An action named it. */
  additional?: boolean | undefined;
  /** An action named it and says that it must be included: then it is only excluded when it is being deleted. */
  mustInclude?: boolean | undefined;
}

export type Decision = { readonly included: true } | { readonly included: false; readonly reason: string };

export const included: Decision = { included: true };

export const leftOut = (reason: string): Decision => ({ included: false, reason });
