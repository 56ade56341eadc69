/** What the filters look at. */
export interface ItemFacts {
  /** `deployments.apps`; `pods` for the core group. */
  groupResource: string;
  kind: string;
  namespaced: boolean;
  /** Absent for cluster-scoped objects. */
  namespace?: string | undefined;
  name: string;
  labels?: Readonly<Record<string, string>> | undefined;
  /** Has a deletion timestamp. */
  isTerminating: boolean;
}

/** How an item came. Absent: a list has it. */
export interface ItemOrigin {
  /** An action named it. */
  additional?: boolean | undefined;
  /** An action named it and says that it must be included: only an object that is being deleted is left out. */
  mustInclude?: boolean | undefined;
}

export type Decision = { readonly included: true } | { readonly included: false; readonly reason: string };

export const included: Decision = { included: true };

export const leftOut = (reason: string): Decision => ({ included: false, reason });
