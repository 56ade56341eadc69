import type { LabelTest } from '@lateen/kube';
import type { ItemType } from '../items/item-type.ts';
import type { ListRange } from './object-list.ts';

/** One list of one type. */
export interface ListTask {
  type: ItemType;
  range: ListRange;
  /** Selectors of other lists: an object that one of them matches is returned by that list. */
  notWith?: readonly LabelTest[];
}
