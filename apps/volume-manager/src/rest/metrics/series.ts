import type { StorageReader } from '../reading/storage-reader.ts';

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Values of one name, computed from the objects at each scrape. */
export interface Series {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Only of objects that the manager of this node handles, so that the sum over all managers counts everything once. */
  samples(reader: StorageReader, node: string): Iterable<Sample>;
}

export const nameOf = (object: { metadata: { name?: string } }): string => object.metadata.name ?? '';
export const isOwned =
  (node: string) =>
  ({ status }: { status?: { ownerID?: string } }): boolean =>
    status?.ownerID === node;

/** A number that may be stored as text; 0 when it is not a number. */
export const numberOf = (value: number | string | undefined): number => {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
};
