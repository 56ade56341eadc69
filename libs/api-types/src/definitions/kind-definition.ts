import type { ResourceType } from '../meta/resource-type.ts';

/** A column that `kubectl get` shows. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: 'int64';
  /** Columns above 0 are shown with `-o wide` only. */
  readonly priority?: number;
}

/** What a kind's CRD says besides its schema; the schema comes from the kind's interface. */
export interface KindDefinition {
  readonly type: ResourceType;
  /** Name of the interface where it is not the kind's: a name that Kubernetes has too. */
  readonly declaredAs?: string;
  /** Fields that the kind has beside spec and status. */
  readonly rootFields?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly columns?: readonly PrinterColumn[];
  /**
   * Writes `subresources: {}`, which enables none: status is written with the object itself (api.md section 1, note 1).
   * Kept apart from leaving the key out, because Velero's CRDs differ in it.
   */
  readonly emptySubresources?: boolean;
  /** Status is written through a resource of its own; writing the object leaves it as it is. */
  readonly statusSubresource?: boolean;
}
