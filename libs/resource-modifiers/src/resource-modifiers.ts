import type { LabelSelector } from '@lateen/api-types';
import type { JsonPatchOperation } from '@lateen/kube';

/** What the ConfigMap of `spec.resourceModifier` says (api.md section 17.5). */
export interface ResourceModifiers {
  readonly rules: readonly ModifierRule[];
}

/** Patches for the objects that meet all conditions; of one family. */
export interface ModifierRule {
  readonly conditions: ModifierConditions;
  readonly patches: readonly JsonPatchOperation[];
  readonly mergePatches: readonly JsonMap[];
  readonly strategicPatches: readonly JsonMap[];
}

export type JsonMap = Record<string, unknown>;

export interface ModifierConditions {
  /** `deployments.apps`, or a glob in which a wildcard stops at dots. */
  readonly groupResource: string;
  /** Names and globs of the backup's namespaces; none: all, and cluster-scoped objects. */
  readonly namespaces: readonly string[];
  /** Found anywhere in the name; absent: any name. */
  readonly resourceNameRegex?: RegExp;
  readonly labelSelector?: LabelSelector;
  /** Values that the object must have at their places. */
  readonly matches: readonly { readonly path: string; readonly value: unknown }[];
}
