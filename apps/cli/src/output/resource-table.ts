import type { KubeObject } from '@lateen/api-types';
import { plainTable } from './plain-table.ts';

/** One column of a kind's table. */
export interface ResourceColumn<T extends KubeObject> {
  head: string;
  cell(object: T): string;
  /** Shown only with `-o wide`. */
  wide?: true;
}

export interface ResourceTableLook {
  wide: boolean;
  /** Label keys that become columns. */
  labelColumns: readonly string[];
  /** All labels in the last column. */
  showLabels: boolean;
}

/** The text that kubectl and Velero print where a label or all labels are missing. */
const none = '<none>';

/** The lines of a table of objects, headers first. The header of a label column is the last part of its key. */
export function resourceTable<T extends KubeObject>(
  objects: readonly T[],
  columns: readonly ResourceColumn<T>[],
  look: ResourceTableLook,
): string[] {
  const shown: readonly ResourceColumn<T>[] = [
    ...columns.filter(({ wide }) => wide !== true || look.wide),
    ...look.labelColumns.map((key) => ({
      head: (key.split('/').at(-1) ?? key).toUpperCase(),
      cell: ({ metadata }: T) => metadata.labels?.[key] ?? none,
    })),
    ...(look.showLabels ? [{ head: 'LABELS', cell: allLabels }] : []),
  ];
  return plainTable(
    shown.map(({ head }) => head),
    objects.map((object) => shown.map(({ cell }) => cell(object))),
  );
}

function allLabels({ metadata }: KubeObject): string {
  const pairs = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(',') || none;
}
