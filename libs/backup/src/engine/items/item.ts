import type { Unstructured } from '@lateen/api-types';
import type { ItemFacts } from '@lateen/item-filters';
import type { RecordedItem } from './item-record.ts';
import type { ItemType } from './item-type.ts';

/** An object that is being backed up. */
export interface Item extends RecordedItem {
  readonly object: Unstructured;
}

export function itemOf(type: ItemType, object: Unstructured): Item {
  const { namespace, name = '' } = object.metadata;
  return { type, object, namespace: type.type.namespaced ? namespace : undefined, name };
}

/** The facts that filters check. */
export function factsOf({ type, object, namespace, name }: Item): ItemFacts {
  const { labels, deletionTimestamp } = object.metadata;
  const facts: ItemFacts = {
    groupResource: type.groupResource,
    kind: type.type.kind,
    namespaced: type.type.namespaced,
    name,
    isTerminating: deletionTimestamp !== undefined && deletionTimestamp !== null,
  };
  if (namespace !== undefined) facts.namespace = namespace;
  if (labels !== undefined && labels !== null) facts.labels = labels;
  return facts;
}

/** Log fields by which the results of the backup assign a line to its object (object-store-layout.md section 5.4). */
export const logFieldsOf = ({ type, namespace, name }: RecordedItem) => ({
  resource: type.groupResource,
  ...(namespace === undefined ? {} : { namespace }),
  name,
});
