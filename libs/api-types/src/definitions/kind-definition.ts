import type { ResourceType } from '../meta/resource-type.ts';

/** A column that `kubectl get` shows. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly format?: 'int64';
  /** Columns above 0 are shown with `-o wide` only. */
  readonly priority?: number;
}

/** What a kind's CRD says besides its schema; the schema comes from the kind's interface. */
export interface KindDefinition {
  readonly type: ResourceType;
  readonly shortNames?: readonly string[];
  readonly columns?: readonly PrinterColumn[];
  /**
   * Writes `subresources: {}`, which enables none: status is written with the object itself (api.md section 1, note 1).
   * Kept apart from leaving the key out, because the reference's CRDs differ in it.
   */
  readonly emptySubresources?: boolean;
}
