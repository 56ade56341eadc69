import type { LabelTest } from '@lateen/kube';
import type { ItemType } from '../items/item-type.ts';
import type { ListRange } from './object-list.ts';

/** One list of one type. */
export interface ListTask {
  type: ItemType;
  range: ListRange;
  /** An object that one of these selects comes with another list. */
  notWith?: readonly LabelTest[];
}
